"""Nested models that most documents do without: their modules are imported when a document holds one.

A class of pydantic costs half a millisecond to define, and the plugin starts anew for every unit of every commit.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema


class Later:
    """Annotation of a field whose model is `name` of `module` in this package. Errors keep their places."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def model(self) -> type[BaseModel]:
        """The model, imported now."""
        found: type[BaseModel] = getattr(import_module(f".{self.module}", __package__), self.name)
        assert issubclass(found, BaseModel)
        return found

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._validate)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        model = self.model()
        model.model_rebuild()
        found: Any = model.__pydantic_core_schema__
        if found["type"] != "definitions":  # one that holds no other model would be written out where it stands
            found = core_schema.definitions_schema(core_schema.definition_reference_schema(found["ref"]), [found])
        return handler(found)

    def _validate(self, value: Any) -> BaseModel:
        model = self.model()
        return value if isinstance(value, model) else model.model_validate(value)
