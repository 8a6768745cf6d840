#!/bin/sh
# Made the certificates beside it, which are valid for a hundred years: ca signs server (for the
# address 127.0.0.1), named (for the name localhost alone) and client (for nobody's address); other
# is an authority that has signed none of them. They protect nothing, so their keys may be public.
# The keys of the two authorities are thrown away: to change one certificate, make all of them anew.
set -eu
cd "$(dirname "$0")"
days=36500
curve="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"

authority() {
  openssl req -x509 $curve -keyout "$1-key.pem" -out "$1.pem" -days $days -subj "/CN=qless test $1" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
}

signed() {
  openssl req $curve -keyout "$1-key.pem" -out "$1.csr" -subj "/CN=qless test $1"
  printf '%s\n' "$2" >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca-key.pem -days $days -out "$1.pem" -extfile "$1.ext"
  rm "$1.csr" "$1.ext"
}

authority ca
authority other
signed server "subjectAltName=IP:127.0.0.1"
signed named "subjectAltName=DNS:localhost"
signed client "extendedKeyUsage=clientAuth"
rm ca-key.pem other-key.pem
