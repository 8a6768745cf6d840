#!/bin/sh
# A worker of shell and curl alone: takes jobs from a queue, renews the lock while a command works on
# one, and completes it. The command gets the job's data on its standard input; what it prints must
# be JSON, or nothing, and becomes the data of the job. A command that fails gives the job back to be
# tried again.
#
#   QLESS=http://127.0.0.1:4774 QLESS_TOKEN=... ./curl-worker.sh <queue> <command> [argument...]
#
# It ends when it is told to (TERM, INT), after the job that it is working on; with ONCE=1, when there
# is nothing to do. WORKER is its name, and WAIT the seconds that it waits for a job.
set -u

server=${QLESS:-http://127.0.0.1:4774}
worker=${WORKER:-curl-$$}
wait=${WAIT:-30}
[ "${ONCE:-}" = 1 ] && wait=0
queue=${1:?which queue?}
shift
[ $# -gt 0 ] || { echo "curl-worker: which command?" >&2; exit 2; }

stopped=
trap 'stopped=1' TERM INT

# ask <method> <path> [<body>]: prints the answer, whatever its status.
ask() {
  curl --silent --show-error --max-time $((wait + 15)) --request "$1" \
    --header 'Content-Type: application/json' \
    ${QLESS_TOKEN:+--header "Authorization: Bearer $QLESS_TOKEN"} \
    ${3:+--data-binary "$3"} "$server$2"
}

# encoded <text>: as it stands in a query, with every byte by its number.
encoded() {
  printf %s "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g'
}

# The name of the queue is in the query, so that it may be any: a path cannot have the names . and ..
at="-?queue=$(encoded "$queue")"

# part <n>: of an answer to /get, the id (1), the data (2), the lease (3) or the heartbeat (4). The
# data may be anything, so the whole line is matched, from its beginning to its end.
part() {
  sed -n 's/^{"results":{"id":"\([^"\\]*\)","queue":"[^"]*","meta":\(.*\),"lease":\([0-9]*\),"heartbeat":\([0-9]*\)[^{]*},"time":{[^{}]*}}$/\'"$1"'/p'
}

# renew <id> <lease> <seconds>: until it is killed, or the lock is lost.
renew() {
  # What it sleeps in may outlive it for a while, and must not hold on to what is ours.
  while sleep "$3" >/dev/null 2>&1; do
    case $(ask POST "/heartbeat/$at" "{\"host\":\"$worker\",\"data\":[{\"id\":\"$1\",\"lease\":$2}]}") in
      *'"results":[false]'*) echo "curl-worker: lost $1" >&2; return ;;
    esac
  done
}

# finish <id> <lease> <code> <data>
finish() {
  if [ "$3" -eq 0 ]; then
    ask POST "/complete/$at" \
      "{\"host\":\"$worker\",\"data\":[{\"id\":\"$1\",\"lease\":$2,\"meta\":$4}]}"
  else
    ask POST /api/v1/finish "{\"worker\":\"$worker\",\"outcomes\":[{\"verb\":\"retry\",\"jid\":\"$1\",
      \"lease\":$2,\"group\":\"curl-worker\",\"message\":\"The command ended with $3\"}]}"
  fi >/dev/null
}

while [ -z "$stopped" ]; do
  if ! job=$(ask GET "/get/$at&host=$(encoded "$worker")&wait=$wait"); then
    sleep 2
    continue
  fi
  id=$(printf %s "$job" | part 1)
  if [ -z "$id" ]; then
    case $job in
      *'"results":null,"time"'*) [ "${ONCE:-}" = 1 ] && exit 0 ;;
      *) echo "curl-worker: $job" >&2; [ "${ONCE:-}" = 1 ] && exit 1; sleep 2 ;;
    esac
    continue
  fi
  data=$(printf %s "$job" | part 2)
  lease=$(printf %s "$job" | part 3)
  beat=$(printf %s "$job" | part 4)
  renew "$id" "$lease" $((beat > 2 ? beat / 2 : 1)) &
  renewing=$!
  result=$(printf '%s\n' "$data" | "$@")
  code=$?
  # One that has just begun would not hear another signal.
  kill -KILL "$renewing" 2>/dev/null
  wait "$renewing" 2>/dev/null
  finish "$id" "$lease" "$code" "${result:-$data}"
done
