// Checks manifests as the API server would when it gets them, without a cluster: reads YAML documents from standard input, decodes each
// strictly (an unknown or repeated field is an error), fills in the defaults and runs the server's own validation of the kind.
// Prints one line per document; exit status 1 when one of them is refused, 2 when a kind is not known here.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	yamlstream "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/networking"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	"k8s.io/kubernetes/pkg/capabilities"
	"sigs.k8s.io/yaml"
)

var errUnknownKind = errors.New("no validation for this kind here")

// kindOf is what every document starts with.
type kindOf struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
}

// validate returns what the API server would say against an object; its kind's group, version and defaults are applied before.
func validate(object runtime.Object) (field.ErrorList, error) {
	switch o := object.(type) {
	case *apps.DaemonSet:
		return appsvalidation.ValidateDaemonSet(o, corevalidation.PodValidationOptions{}), nil
	case *core.Namespace:
		return corevalidation.ValidateNamespace(o), nil
	case *core.Secret:
		return corevalidation.ValidateSecret(o), nil
	case *core.ServiceAccount:
		return corevalidation.ValidateServiceAccount(o), nil
	case *networking.NetworkPolicy:
		return networkingvalidation.ValidateNetworkPolicy(o, networkingvalidation.NetworkPolicyValidationOptions{}), nil
	}
	return nil, errUnknownKind
}

// check decodes and validates one document.
func check(document []byte, kind kindOf) error {
	if kind.Kind == "PodMonitor" { // a custom resource: its types, which carry no validation
		return yaml.UnmarshalStrict(document, &monitoring.PodMonitor{})
	}
	codecs := serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)
	group := schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind)
	object, err := runtime.Decode(codecs.UniversalDecoder(schema.GroupVersion{Group: group.Group, Version: runtime.APIVersionInternal}), document)
	if err != nil {
		return err
	}
	if wrong, err := validate(object); err != nil {
		return err
	} else {
		return wrong.ToAggregate()
	}
}

// The server's option --allow-privileged, which is set in clusters that permit privileged pods at all.
func init() { capabilities.Setup(true, 0) }

// run checks all documents of a stream and returns the exit status.
func run(in io.Reader, out io.Writer) int {
	documents := yamlstream.NewYAMLReader(bufio.NewReader(in))
	status, count := 0, 0
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var kind kindOf
		if err == nil {
			err = yaml.Unmarshal(document, &kind)
		}
		if err == nil && kind.Kind == "" { // comments alone
			continue
		}
		count++
		name := fmt.Sprintf("%s %s", kind.Kind, kind.Metadata.Name)
		if err == nil {
			err = check(document, kind)
		}
		if err == nil {
			fmt.Fprintf(out, "%s: valid\n", name)
			continue
		}
		fmt.Fprintf(out, "%s: %v\n", name, err)
		status = max(status, 1)
		if errors.Is(err, errUnknownKind) {
			status = 2
		}
	}
	if count == 0 {
		fmt.Fprintln(out, "no document to check")
		return 2
	}
	return status
}

func main() { os.Exit(run(os.Stdin, os.Stdout)) }
