# acme-sh.sh FILE add|rm NAME VALUE   calls a function of a file as acme.sh does by its documents (DNS-API-Dev-Guide): the file is read in a
# new subshell for each call, the settings are saved in account.conf. ACME_SH_HOME: the folder of that file.
set -u
_info() { echo "$*"; }
_err() {
  echo "$*" >&2
  return 1
}
_debug() { :; }
_saveaccountconf_mutable() { printf "SAVED_%s='%s'\n" "$1" "$2" >>"$ACME_SH_HOME/account.conf"; }
_readaccountconf_mutable() { sed -n "s/^SAVED_$1='\(.*\)'\$/\1/p" "$ACME_SH_HOME/account.conf" 2>/dev/null | tail -n 1; }
_clearaccountconf_mutable() { [ ! -f "$ACME_SH_HOME/account.conf" ] || sed -i "/^SAVED_$1=/d" "$ACME_SH_HOME/account.conf"; }
name=$(basename "$1" .sh)
(
  . "$1" || exit 1
  "${name}_$2" "$3" "$4"
)
