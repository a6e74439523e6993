// dra-oracle answers, with the code of Kubernetes' own API server and scheduler, what a selector, a quantity, a version
// or an allocation comes to. One JSON document a line in, one a line out, in the same order.
//
//	{"op":"cel","expression":"...","devices":[{"driver":"d","attributes":{"a":{"int":1}},"capacity":{"m":{"value":"1Gi"}}}]}
//	    {"refused":"why the API server refuses it"} or {"devices":[{"match":true},{"error":"why not"}],"maxCost":7}
//	{"op":"quantity","text":"1024Mi","other":"1Gi"}
//	    {"error":"..."} or {"canonical":"1Gi","compare":0,"sum":"2Gi","integer":true}
//	{"op":"semver","text":"v1.2","normalize":true,"other":"1.2.0"}
//	    {"error":"..."} or {"canonical":"1.2.0","compare":0}
//	{"op":"alloc","node":{},"classes":[],"slices":[],"claims":[],"allocated":["driver/pool/device"]}
//	    {"error":"..."} or {"allocated":true,"results":[]}
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// The feature gates of a default 1.37 cluster that change what a selector may say.
var features = cel.Features{EnableConsumableCapacity: true}

type device struct {
	Driver                   string                                                    `json:"driver"`
	AllowMultipleAllocations *bool                                                     `json:"allowMultipleAllocations"`
	Attributes               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute `json:"attributes"`
	Capacity                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity  `json:"capacity"`
}

type question struct {
	Op string `json:"op"`

	Expression string   `json:"expression"`
	Devices    []device `json:"devices"`

	Text      string `json:"text"`
	Other     string `json:"other"`
	Normalize bool   `json:"normalize"`

	Node      *corev1.Node                 `json:"node"`
	Classes   classList                    `json:"classes"`
	Slices    []*resourceapi.ResourceSlice `json:"slices"`
	Claims    []*resourceapi.ResourceClaim `json:"claims"`
	Allocated []string                     `json:"allocated"`
}

type answer map[string]any

func failed(err error) answer { return answer{"error": err.Error()} }

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 0, 1<<20), 1<<28)
	buffered := bufio.NewWriter(os.Stdout)
	out := json.NewEncoder(buffered)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var q question
		reply := answer{}
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			reply = failed(err)
		} else {
			reply = respond(context.Background(), q)
		}
		if err := out.Encode(reply); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := buffered.Flush(); err != nil {
			os.Exit(1)
		}
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func respond(ctx context.Context, q question) answer {
	switch q.Op {
	case "cel":
		return selector(ctx, q)
	case "quantity":
		return quantity(q)
	case "semver":
		return version(ctx, q)
	case "alloc":
		return allocate(ctx, q)
	}
	return answer{"error": "unknown op " + q.Op}
}

// selector compiles as the API server does for an expression that is new in an object, and evaluates as the scheduler does.
// Some expressions make the compiler panic, which an API server answers with an error: they are refused too.
func selector(ctx context.Context, q question) (reply answer) {
	defer func() {
		if problem := recover(); problem != nil {
			reply = answer{"refused": fmt.Sprint("panic: ", problem)}
		}
	}()
	if len(q.Expression) > resourceapi.CELSelectorExpressionMaxLength {
		return answer{"refused": "too long"}
	}
	environmentType := environment.NewExpressions
	compiled := cel.GetCompiler(features).CompileCELExpression(q.Expression, cel.Options{EnvType: &environmentType})
	if compiled.Error != nil {
		return answer{"refused": compiled.Error.Error()}
	}
	if compiled.MaxCost > resourceapi.CELSelectorExpressionMaxCost {
		return answer{"refused": "too complex, exceeds cost limit", "maxCost": compiled.MaxCost}
	}
	found := make([]answer, 0, len(q.Devices))
	for _, d := range q.Devices {
		found = append(found, matches(ctx, compiled, d))
	}
	return answer{"devices": found, "maxCost": compiled.MaxCost}
}

func matches(ctx context.Context, compiled cel.CompilationResult, d device) answer {
	ok, details, err := compiled.DeviceMatches(ctx, cel.Device{
		Driver:                   d.Driver,
		AllowMultipleAllocations: d.AllowMultipleAllocations,
		Attributes:               d.Attributes,
		Capacity:                 d.Capacity,
	})
	if err != nil {
		return failed(err)
	}
	reply := answer{"match": ok}
	if details != nil && details.ActualCost() != nil {
		reply["cost"] = *details.ActualCost()
	}
	return reply
}

func quantity(q question) answer {
	parsed, err := resource.ParseQuantity(q.Text)
	if err != nil {
		return failed(err)
	}
	_, integer := parsed.AsInt64()
	number, suffix := parsed.CanonicalizeBytes(nil)
	reply := answer{"canonical": string(number) + string(suffix), "integer": integer}
	if q.Other == "" {
		return reply
	}
	other, err := resource.ParseQuantity(q.Other)
	if err != nil {
		return failed(err)
	}
	sum := parsed.DeepCopy()
	sum.Add(other)
	number, suffix = sum.CanonicalizeBytes(nil)
	reply["compare"], reply["sum"] = parsed.Cmp(other), string(number)+string(suffix)
	return reply
}

// version goes through the CEL library, because that is where Kubernetes keeps its rules for normalising.
func version(ctx context.Context, q question) answer {
	normalize := fmt.Sprint(q.Normalize)
	text, _ := json.Marshal(q.Text)
	other, _ := json.Marshal(q.Other)
	valid := fmt.Sprintf("isSemver(%s, %s)", text, normalize)
	if !holds(ctx, valid) {
		return answer{"error": "not a version"}
	}
	reply := answer{}
	for name, sign := range map[string]string{"less": "<", "equal": "==", "greater": ">"} {
		if q.Other == "" {
			break
		}
		reply[name] = holds(ctx, fmt.Sprintf("semver(%s, %s).compareTo(semver(%s, %s)) %s 0", text, normalize, other, normalize, sign))
	}
	return reply
}

func holds(ctx context.Context, expression string) bool {
	compiled := cel.GetCompiler(features).CompileCELExpression(expression, cel.Options{})
	if compiled.Error != nil {
		return false
	}
	ok, _, err := compiled.DeviceMatches(ctx, cel.Device{Driver: "none"})
	return err == nil && ok
}

type classList []*resourceapi.DeviceClass

func (c classList) List() ([]*resourceapi.DeviceClass, error) { return c, nil }

func (c classList) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, fmt.Errorf("no DeviceClass %q", name)
}

// allocate runs the scheduler's structured allocator on one node.
func allocate(ctx context.Context, q question) answer {
	enabled := structured.Features{
		AdminAccess: true, DeviceTaints: true, PrioritizedList: true, PartitionableDevices: true, ConsumableCapacity: true,
		DeviceBindingAndStatus: true,
	}
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, taken := range q.Allocated {
		parts := strings.SplitN(taken, "/", 3)
		if len(parts) != 3 {
			return answer{"error": "allocated: want driver/pool/device, have " + taken}
		}
		state.AllocatedDevices.Insert(structured.MakeDeviceID(parts[0], parts[1], parts[2]))
	}
	allocator, err := structured.NewAllocator(ctx, enabled, state, q.Classes, q.Slices, cel.NewCache(64, features))
	if err != nil {
		return failed(err)
	}
	results, err := allocator.Allocate(ctx, q.Node, q.Claims)
	if err != nil {
		return failed(err)
	}
	return answer{"allocated": results != nil, "results": results}
}
