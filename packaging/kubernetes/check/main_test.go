package main

import (
	"bytes"
	"strings"
	"testing"
)

const policy = `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: watch, namespace: wastenot }
spec: { podSelector: {}, ingress: [{ ports: [{ port: PORT, protocol: TCP }] }] }
`

const daemonSet = `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: watch, namespace: wastenot }
spec:
  selector: { matchLabels: { app: SELECTED } }
  template:
    metadata: { labels: { app: watch } }
    spec:
      containers:
        - name: watch
          image: watch
          FIELD: true
          volumeMounts: [{ name: boxes, mountPath: /boxes }]
      volumes: [{ name: VOLUME, emptyDir: {} }]
`

func checked(text string, pairs ...string) (int, string) {
	var out bytes.Buffer
	status := run(strings.NewReader(strings.NewReplacer(pairs...).Replace(text)), &out)
	return status, out.String()
}

func TestAValidManifestPasses(t *testing.T) {
	for _, text := range []string{policy, daemonSet, policy + "---\n# a comment alone\n---" + daemonSet} {
		if status, out := checked(text, "PORT", "metrics", "SELECTED", "watch", "FIELD", "tty", "VOLUME", "boxes"); status != 0 {
			t.Errorf("status %d: %s", status, out)
		}
	}
}

func TestWhatTheServerRefusesIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"an unknown field":        {strings.NewReplacer("SELECTED", "watch", "FIELD", "privileged", "VOLUME", "boxes").Replace(daemonSet), `unknown field "spec.template.spec.containers[0].privileged"`},
		"labels not selected":     {strings.NewReplacer("SELECTED", "other", "FIELD", "tty", "VOLUME", "boxes").Replace(daemonSet), "does not match template"},
		"a mount without volume":  {strings.NewReplacer("SELECTED", "watch", "FIELD", "tty", "VOLUME", "other").Replace(daemonSet), `volumeMounts[0].name: Not found: "boxes"`},
		"a port out of range":     {strings.Replace(policy, "PORT", "94770", 1), "must be between 1 and 65535"},
		"an unknown API version":  {strings.Replace(policy, "networking.k8s.io/v1", "networking.k8s.io/v9", 1), "no kind"},
		"text that is not a YAML": {"kind: [", "yaml"},
	} {
		if status, out := checked(c.text); status != 1 || !strings.Contains(out, c.says) {
			t.Errorf("%s: status %d: %s", name, status, out)
		}
	}
}

func TestWhatCannotBeCheckedIsNotPassed(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "apiVersion: v1\nkind: Event\nmetadata: { name: e }\n"} {
		if status, out := checked(text); status != 2 {
			t.Errorf("status %d: %s", status, out)
		}
	}
}
