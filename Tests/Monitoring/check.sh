#!/usr/bin/env bash
# usage: check.sh PATCHPACK
#
# A bad release makes a real Prometheus fire an alert, which a real Alertmanager forwards. A good release does not. The rules' own
# tests, the configuration and the dashboard are checked too.
set -euo pipefail
tool=$(realpath "$1")
examples=$(realpath "$(dirname "$0")/../../examples/monitoring")
work=$(mktemp -d)
# Background processes end with this script.
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"

promtool check rules "$examples/alerts.yml" >/dev/null
promtool test rules "$examples/alerts-test.yml" >/dev/null
amtool check-config "$examples/alertmanager.yml" >/dev/null

# Ports that are currently free.
read -r exporter prometheus alertmanager webhook cluster < <(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(5)]
print(*(s.getsockname()[1] for s in sockets))')

cat >events.py <<'PYTHON'
import json, sys, time
def line(event, device):
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    return json.dumps({"schema": "patchpack.event/1", "timestamp": stamp,
        "resource": {"app.installation.id": str(device), "service.name": "com.example.shop", "service.version": "2.3.1"},
        "severityNumber": 9, "eventName": event, "attributes": {"patch.id": "com.example.shop.cart-total", "patch.version": 7}})
failing = int(sys.argv[1])
for device in range(2000):
    print(line("activated", device))
    if device < failing:
        print(line("failed", device))
# A device cannot hide anything, or make the file unreadable.
for name in (" com.example.shop.cart-total 7", "a\r\nb.c", "com.example\u0d4e\".x", "\\\u0301\".x"):
    print(line("activated", 9999).replace("com.example.shop.cart-total", json.dumps(name)[1:-1]))
PYTHON

# Writes the metrics as described in alerts.yml.
report() {
  python3 events.py "$1" >events.jsonl
  "$tool" report events.jsonl --gate 'failing<0.5%' --gate 'rolled-back<0.5%' --gate 'sync-failed<5%' --format openmetrics >metrics.new || [ $? = 20 ]
  promtool check metrics <metrics.new >promtool.txt 2>&1 || { cat promtool.txt && exit 1; }
  mv metrics.new textfiles/patches.prom
}

# A feed with a patch has the other metrics.
printf -- '-- @patch com.example.shop.x\n-- @version 1\n-- @app com.example.shop\n-- @replaces T.f\npatch.replace("T.f", function() end)\n' >x.lua
for role in patch root release online; do "$tool" keygen -q --profile modern -o $role; done
trusted=(--trusted-key patch/trusted.pem --script-key patch/script.key)
"$tool" pack x.lua -q --no-lint -o x.js --signing-key patch/signing.pem "${trusted[@]}"
"$tool" feed init feed -q --app com.example.shop --root-key root/signing.pem --release-key release/signing.pem --online-key online/signing.pem
"$tool" feed publish feed x.js --rollout 50% -q --key release/signing.pem --key online/signing.pem "${trusted[@]}"
"$tool" trust add patch.store patch/trusted.pem --name build --not-after 2099-01-01T00:00:00Z >/dev/null
"$tool" feed trust feed patch.store -q --key release/signing.pem --key online/signing.pem
"$tool" feed status feed --format openmetrics >feed.prom
promtool check metrics <feed.prom

# The dashboard and the rules must use the names of the metrics.
mkdir textfiles
report 0
for file in grafana.json alerts.yml; do
  grep -o 'patchpack_[a-z_]*' "$examples/$file" | sort -u | while read -r name; do
    grep -qh "^${name}[ {]" textfiles/patches.prom feed.prom || { echo "$file: $name is not a metric" && exit 1; }
  done
done
python3 -m json.tool "$examples/grafana.json" >/dev/null

cat >prometheus.yml <<YAML
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [$examples/alerts.yml]
alerting: {alertmanagers: [{static_configs: [{targets: ["127.0.0.1:$alertmanager"]}]}]}
scrape_configs: [{job_name: node, static_configs: [{targets: ["127.0.0.1:$exporter"]}]}]
YAML
sed -e "s|https://pager.example.com/hook|http://127.0.0.1:$webhook/page|" -e 's/^  receiver: tickets/&\n  group_wait: 1s/' \
  "$examples/alertmanager.yml" >alertmanager.yml

cat >webhook.py <<'PYTHON'
import http.server, sys
class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        open("paged" + self.path.replace("/", "-"), "wb").write(body)
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_): pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Hook).serve_forever()
PYTHON
python3 webhook.py "$webhook" &
prometheus-node-exporter --web.listen-address="127.0.0.1:$exporter" --collector.disable-defaults --collector.textfile \
  --collector.textfile.directory=textfiles >exporter.log 2>&1 &
prometheus-alertmanager --config.file=alertmanager.yml --storage.path=alerts --web.listen-address="127.0.0.1:$alertmanager" \
  --cluster.listen-address="127.0.0.1:$cluster" >alertmanager.log 2>&1 &
prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address="127.0.0.1:$prometheus" >prometheus.log 2>&1 &

# Queries Prometheus for a number.
query() {
  curl -sfG "http://127.0.0.1:$prometheus/api/v1/query" --data-urlencode "query=$1" |
    python3 -c 'import json, sys; result = json.load(sys.stdin)["data"]["result"]; print(result[0]["value"][1] if result else "none")'
}

# Waits for at most a minute until a number has the expected value.
expect() {
  for _ in $(seq 60); do
    [ "$(query "$1" 2>/dev/null)" = "$2" ] && return
    sleep 1
  done
  echo "$1 is $(query "$1"), and not $2" && tail -5 ./*.log && exit 1
}

expect 'patchpack_patch_running_devices{patch="com.example.shop.cart-total"}' 2000
expect 'count(ALERTS{alertname="PatchGateCrossed"})' none
report 100
expect 'count(ALERTS{alertname="PatchGateCrossed",alertstate="firing"})' 1
for _ in $(seq 60); do
  [ -e paged-page ] && break
  sleep 1
done
grep -q 'com.example.shop.cart-total 7 crosses failing' paged-page
echo "the alert of a bad release reached the webhook of the pager"
