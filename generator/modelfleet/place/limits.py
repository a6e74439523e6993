"""What bounds a deployment besides room: its team's quotas and budget, and its own cost limit. Ledgers of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from ..api.team import TeamSpec
from ..resolve.fleet import Deployment, Fleet
from .candidates import Candidate


@dataclass(slots=True)
class Limits:
    """Devices and money charged so far. Money is in millionths of the fleet's currency for an hour."""

    fleet: Fleet
    devices: dict[tuple[str, str], int] = field(default_factory=dict)
    team_cost: dict[str, int] = field(default_factory=dict)
    deployment_cost: dict[tuple[str, str], int] = field(default_factory=dict)
    journal: list[tuple[Deployment, Candidate, int]] | None = None
    _teams: dict[str, tuple[str, TeamSpec] | None] = field(default_factory=dict)

    def add(self, deployment: Deployment, candidate: Candidate, replicas: int) -> None:
        """Charges replicas; a negative number gives them back."""
        if self.journal is not None:
            self.journal.append((deployment, candidate, replicas))
        cost = candidate.cost * replicas
        self.deployment_cost[deployment.key] = self.deployment_cost.get(deployment.key, 0) + cost
        if team := self._team(deployment.namespace):
            self.team_cost[team[0]] = self.team_cost.get(team[0], 0) + cost
            for class_name, count in candidate.devices:
                key = (team[0], class_name)
                self.devices[key] = self.devices.get(key, 0) + count * replicas

    def undo(self) -> None:
        """Takes back what the journal holds."""
        done, self.journal = self.journal or [], None
        for deployment, candidate, replicas in reversed(done):
            self.add(deployment, candidate, -replicas)

    def refusal(self, deployment: Deployment, candidate: Candidate) -> tuple[str, str] | None:
        """(reason, text) why one more replica at `candidate` would pass a limit."""
        team = self._team(deployment.namespace)
        if team and (refused := self._quota(team, candidate) or self._budget(team, candidate)):
            return refused
        limit = deployment.spec.placement.max_cost_per_hour
        if limit is None:
            return None
        if candidate.unpriced:
            return ("CostLimit", f"the price of {', '.join(candidate.unpriced)} is not declared, and maxCostPerHour applies")
        spent = self.deployment_cost.get(deployment.key, 0)
        if spent + candidate.cost > micro(limit):
            return ("CostLimit", f"maxCostPerHour is {limit}, {money(spent)} are spent and one more costs {money(candidate.cost)}")
        return None

    def _team(self, namespace: str) -> tuple[str, TeamSpec] | None:
        if namespace not in self._teams:
            self._teams[namespace] = self.fleet.team_of(namespace)
        return self._teams[namespace]

    def _quota(self, team: tuple[str, TeamSpec], candidate: Candidate) -> tuple[str, str] | None:
        asked = dict(candidate.devices)
        for quota in team[1].quota:
            names = set(quota.classes) if quota.class_selector is None else self._selected(quota.class_selector.matches)
            more = sum(count for name, count in asked.items() if name in names)
            used = sum(count for (owner, name), count in self.devices.items() if owner == team[0] and name in names)
            if more and used + more > quota.devices:
                text = f"quota {quota.name} of team {team[0]}: {used} of {quota.devices} devices used, needs {more}"
                return ("QuotaExceeded", text)
        return None

    def _selected(self, matches: object) -> set[str]:
        assert callable(matches)
        return {name for name, labels in self.fleet.class_labels.items() if matches(dict(labels))}

    def _budget(self, team: tuple[str, TeamSpec], candidate: Candidate) -> tuple[str, str] | None:
        if team[1].budget is None:
            return None
        if candidate.unpriced:
            return ("BudgetExceeded", f"the price of {', '.join(candidate.unpriced)} is not declared, and a budget applies")
        spent, limit = self.team_cost.get(team[0], 0), team[1].budget.per_hour
        if spent + candidate.cost > micro(limit):
            text = f"budget of team {team[0]} is {limit} an hour, {money(spent)} are spent and one more costs {money(candidate.cost)}"
            return ("BudgetExceeded", text)
        return None


def micro(text: str) -> int:
    """Millionths of a decimal amount."""
    return int(Decimal(text) * 10**6)


def money(amount: int) -> str:
    """Millionths as a decimal amount of at least two places, rounded half up: `12.50`."""
    cents = (amount + 5_000) // 10_000
    return f"{cents // 100}.{cents % 100:02d}"


def spent(limits: Limits) -> Mapping[str, int]:
    """Cost of each team, in millionths."""
    return dict(sorted(limits.team_cost.items()))
