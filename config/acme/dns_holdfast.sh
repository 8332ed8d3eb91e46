# shellcheck shell=sh
# Adds and removes the TXT record of an ACME challenge by the service. acme.sh reads this file as --dns dns_holdfast; certbot-hook and
# dehydrated-hook, which are in the same folder, use it too. docs/acme.md says how. It needs curl.
# shellcheck disable=SC2034
dns_holdfast_info='Holdfast
Site: your own service
Options:
 HOLDFAST_URL The service, such as https://dynupdate.example
 HOLDFAST_API_KEY_FILE A file with the API key. Optional.
 HOLDFAST_API_KEY The API key, if it is in no file. Optional.
'

# dns_holdfast_add NAME VALUE   adds a value and leaves the others; the answer comes when the name servers give it
dns_holdfast_add() { _holdfast_challenge present "$1" "$2"; }

# dns_holdfast_rm NAME VALUE   removes this value alone
dns_holdfast_rm() { _holdfast_challenge cleanup "$1" "$2"; }

_holdfast_challenge() {
  _holdfast_settings || return 1
  # Both are written into JSON.
  case $2 in '' | *[!A-Za-z0-9._*-]*) _holdfast_error "not a name: $2" || return 1 ;; esac
  case $3 in '' | *[!A-Za-z0-9_-]*) _holdfast_error "not the value of a challenge: $3" || return 1 ;; esac
  # The key comes by standard input: other users can read a command line. -q: no .curlrc may turn off the check of the certificate.
  _holdfast_answer=$(printf 'header = "Authorization: Bearer %s"\n' "$_holdfast_key" |
    curl -q -g -K - --silent --show-error --max-time 60 --header 'Content-Type: application/json' --write-out ' %{http_code}' \
      --data "{\"fqdn\":\"$2\",\"value\":\"$3\"}" "${HOLDFAST_URL%/}/v1/acme/httpreq/$1") ||
    _holdfast_error "no answer from $HOLDFAST_URL" || return 1
  case ${_holdfast_answer##* } in 2??) return 0 ;; esac
  # Of the first error: {"errors":[{"id":"...","code":"...","title":"..."
  _holdfast_reason=$(printf '%s' "$_holdfast_answer" | tr -d '\000-\037' |
    sed -n 's/^{"errors":\[{"id":"[^"]*","code":"\([^"]*\)","title":"\([^"]*\)".*/\1 \2/p')
  _holdfast_error "$1 $2: ${_holdfast_reason:-no answer of the service} (HTTP ${_holdfast_answer##* })"
}

_holdfast_settings() {
  # acme.sh gives the settings at the first time only.
  if command -v _readaccountconf_mutable >/dev/null; then
    # A saved file does not take the place of a key that is given now.
    [ -z "${HOLDFAST_API_KEY:-}" ] || [ -n "${HOLDFAST_API_KEY_FILE:-}" ] || _clearaccountconf_mutable HOLDFAST_API_KEY_FILE
    for _holdfast_one in HOLDFAST_URL HOLDFAST_API_KEY_FILE HOLDFAST_API_KEY; do
      eval "_holdfast_value=\${$_holdfast_one:-\$(_readaccountconf_mutable $_holdfast_one)}"
      eval "$_holdfast_one=\$_holdfast_value"
      [ -z "$_holdfast_value" ] || _saveaccountconf_mutable "$_holdfast_one" "$_holdfast_value"
    done
  fi
  # Else the key could be read on the way.
  case ${HOLDFAST_URL:-}/ in
    *@*) _holdfast_error 'HOLDFAST_URL must have no @' || return 1 ;;
    https://* | http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
    *) _holdfast_error 'HOLDFAST_URL must be the https address of the service' || return 1 ;;
  esac
  _holdfast_key=${HOLDFAST_API_KEY:-}
  if [ -n "${HOLDFAST_API_KEY_FILE:-}" ]; then
    _holdfast_key=$(cat "$HOLDFAST_API_KEY_FILE") || _holdfast_error "cannot read $HOLDFAST_API_KEY_FILE" || return 1
  fi
  case $_holdfast_key in
    '') _holdfast_error 'HOLDFAST_API_KEY_FILE or HOLDFAST_API_KEY must be set' ;;
    *[!A-Za-z0-9]*) _holdfast_error 'the API key has a character that no key has' ;;
  esac
}

# Fails, so that a command can end with it.
_holdfast_error() {
  if command -v _err >/dev/null; then _err "$1"; else printf 'holdfast: %s\n' "$1" >&2; fi
  return 1
}
