/** What is left of the packages on a Debian; the test's own files have other names. */
export const TRACES =
  "find / -xdev -iname '*holdfast*' -not -path '/packages/*' -not -path '/proc/*' -not -path '/sys/*' -not -path '/var/lib/dpkg/*' -not -path '/var/log/*' -not -path '/run/*' | sort"
