import type { Words } from '../words/words.ts'

/** What a device must know. */
interface RecipeValues {
  /** Scheme, host and port of the service. */
  readonly origin: string
  readonly username: string
  readonly password: string
  /** One at least. */
  readonly hostnames: readonly string[]
  /** As a FRITZ!Box in the language of the person calls its fields. */
  readonly fritzBox: Words['newKey']['fritzBox']
}

interface RecipeParts extends RecipeValues {
  readonly host: string
  readonly isTls: boolean
  /** With commas between, as the update protocol has them. */
  readonly hostname: string
  readonly first: string
  /** What the device writes in the place of its one hostname; of several, all of them. */
  readonly inPlaceOf: (placeholder: string) => string
}

interface Recipe {
  readonly device: string
  /** Menus and files, as the device names them. */
  readonly where?: string
  /** A file or a command; or the fields of a form, for each of its entries. */
  readonly text: (values: RecipeParts) => string | readonly RecipeFields[]
  /** A second file, which is copied by itself. */
  readonly file?: (values: RecipeParts) => string
}

/** What is entered in each field. */
type RecipeFields = Readonly<Record<string, string>>

const UPDATE = '/nic/update?hostname='
const fields = (rows: RecipeFields): readonly RecipeFields[] => [rows]
const fieldsText = (rows: RecipeFields): string =>
  Object.entries(rows)
    .map(([label, value]) => `${label}: ${value}`)
    .join('\n')

/** Of each device: what is entered where. The request is that of the specification: `GET /nic/update`. */
const RECIPES: readonly Recipe[] = [
  {
    device: 'curl',
    text: ({ origin, username, password, hostname }) =>
      `curl -u '${username}:${password}' -A 'me/1.0 me@example.com' '${origin}${UPDATE}${hostname}'`,
  },
  {
    device: 'Holdfast',
    where: '/etc/holdfast/holdfast.toml, /etc/holdfast/password',
    text: ({ origin, username, hostnames }) =>
      `server = "${origin}"\nusername = "${username}"\npassword_file = "/etc/holdfast/password"\n` +
      `hostnames = [${hostnames.map((one) => `"${one}"`).join(', ')}]`,
    file: ({ password }) => password,
  },
  {
    device: 'FRITZ!Box',
    where: 'Internet > Freigaben > DynDNS (Internet > Permit Access > DynDNS)',
    text: ({ origin, username, password, first, hostname, hostnames, fritzBox: t }) => {
      // Each device of the home keeps its own part of the address, behind the prefix of the line.
      const addresses =
        hostnames.length === 1 ? 'myip=<ipaddr>,<ip6addr>' : 'myip=<ipaddr>&ip6lanprefix=<ip6lanprefix>'
      return fields({
        [t.use]: '✓',
        [t.provider]: t.custom,
        [t.url]: `${origin}${UPDATE}${hostnames.length === 1 ? '<domain>' : hostname}&${addresses}`,
        [t.domain]: first,
        [t.user]: username,
        [t.password]: password,
      })
    },
  },
  {
    device: 'OpenWrt',
    where: '/etc/config/ddns (ddns-scripts)',
    text: ({ origin, host, isTls, username, password, first, inPlaceOf }) => `config service 'holdfast'
	option enabled '1'
	option use_https '${isTls ? 1 : 0}'
	option lookup_host '${first}'
	option domain '${first}'
	option username '${username}'
	option password '${password}'
	option update_url '${new URL(origin).protocol}//[USERNAME]:[PASSWORD]@${host}${UPDATE}${inPlaceOf('[DOMAIN]')}&myip=[IP]'`,
  },
  {
    device: 'OPNsense',
    where: 'Services > Dynamic DNS > Accounts (os-ddclient)',
    text: ({ host, isTls, username, password, hostname }) =>
      fields({
        Service: 'Custom',
        Protocol: 'DynDNS 2',
        Server: host,
        Username: username,
        Password: password,
        'Hostname(s)': hostname,
        'Force SSL': isTls ? 'yes' : 'no',
      }),
  },
  {
    device: 'pfSense',
    where: 'Services > Dynamic DNS > Add',
    // It compares the whole answer, which has a line for each hostname: so each is an entry.
    text: ({ origin, username, password, hostnames }) =>
      hostnames.map((one) => ({
        'Service Type': 'Custom',
        Username: username,
        Password: password,
        'Update URL': `${origin}${UPDATE}${one}&myip=%IP%`,
        'Result Match': 'good %IP%|nochg %IP%',
      })),
  },
  {
    device: 'UniFi',
    where: 'Settings > Internet > WAN > Dynamic DNS',
    text: ({ host, username, password, first, inPlaceOf }) =>
      fields({
        Service: 'custom',
        Hostname: first,
        Username: username,
        Password: password,
        Server: `${host}${UPDATE}${inPlaceOf('%h')}&myip=%i`,
      }),
  },
  {
    device: 'Synology',
    where: 'Control Panel > External Access > DDNS > Customize Provider, then Add',
    text: ({ origin, username, password, first, inPlaceOf }) =>
      fields({
        'Query URL': `${origin}${UPDATE}${inPlaceOf('__HOSTNAME__')}&myip=__MYIP__`,
        Hostname: first,
        Username: username,
        Password: password,
      }),
  },
  {
    device: 'ddclient',
    where: '/etc/ddclient.conf',
    text: ({ host, isTls, username, password, hostname }) =>
      `protocol=dyndns2\nssl=${isTls ? 'yes' : 'no'}\nserver=${host}\n` +
      `login=${username}\npassword='${password}'\n${hostname}`,
  },
  {
    device: 'inadyn',
    where: '/etc/inadyn.conf',
    text: ({ host, isTls, username, password, hostnames, hostname }) => `custom holdfast {
    username = ${username}
    password = ${password}
    ddns-server = ${host}
    ddns-path = "${UPDATE}%h&myip=%i"
    ssl = ${isTls}
    hostname = ${hostnames.length === 1 ? hostname : `{ ${hostnames.map((one) => `"${one}"`).join(', ')} }`}
}`,
  },
  {
    device: 'MikroTik',
    where: 'RouterOS 7, Terminal; pppoe-out1 is the interface of the line',
    // A doubled update is a repetition, so it asks only after a change. In its terminal "?" is a request for help.
    text: ({ origin, username, password, hostname }) => `/system script add name=holdfast source={
  :global holdfastAddress
  :local whole [/ip address get [find interface="pppoe-out1"] address]
  :local now [:pick $whole 0 [:find $whole "/"]]
  :if ($now != $holdfastAddress) do={
    /tool fetch url="${origin}/nic/update\\3Fhostname=${hostname}&myip=$now" \\
      user="${username}" password="${password}" output=none
    :set holdfastAddress $now
  }
}
/system scheduler add name=holdfast interval=1m on-event=holdfast`,
  },
  {
    device: 'DrayTek',
    where: 'Applications > Dynamic DNS > an index, Service Provider: User-Defined',
    text: ({ host, isTls, username, password, hostname }) =>
      fields({
        'Provider Host': host,
        'Service API': `${UPDATE}${hostname}&myip=###IP###`,
        'Auth Type': 'basic',
        'Connection Type': isTls ? 'Https' : 'Http',
        'Login Name': username,
        Password: password,
      }),
  },
  {
    device: 'ASUS',
    where: 'Asuswrt-Merlin: /jffs/scripts/ddns-start, executable; WAN > DDNS > Server: Custom',
    text: ({ origin, username, password, hostname }) => `#!/bin/sh
if curl -fsS -u '${username}:${password}' -A 'Merlin ddns-start/1 router' \\
  "${origin}${UPDATE}${hostname}&myip=$1" | grep -Eq '^(good|nochg)'
then /sbin/ddns_custom_updated 1
else /sbin/ddns_custom_updated 0
fi`,
  },
  {
    device: 'TP-Link Omada',
    where: 'Settings > Services > Dynamic DNS > Create, Service Provider: Custom',
    text: ({ origin, host, username, password, first, inPlaceOf }) =>
      fields({
        'Update URL':
          `${new URL(origin).protocol}//[USERNAME]:[PASSWORD]@${host}` +
          `${UPDATE}${inPlaceOf('[DOMAIN]')}&myip=[IP]`,
        Username: username,
        Password: password,
        'Domain Name': first,
      }),
  },
  {
    device: 'TrueNAS',
    where: 'CORE: Services > Dynamic DNS, Provider: Custom Provider',
    text: ({ host, isTls, username, password, hostnames }) =>
      fields({
        'Custom Server': host,
        'Custom Path': `${UPDATE}%h&myip=%i`,
        'Domain Name': hostnames.join(' '),
        Username: username,
        Password: password,
        'Use HTTPS': isTls ? 'yes' : 'no',
      }),
  },
]

interface WrittenRecipe {
  readonly device: string
  readonly where: string
  /** One, or two: each is copied by itself. */
  readonly texts: readonly string[]
  /** Instead, for a form: the fields of each entry, which are copied one by one. */
  readonly entries?: readonly RecipeFields[]
}

export function recipes(values: RecipeValues): readonly WrittenRecipe[] {
  const { hostnames } = values
  const { host, protocol } = new URL(values.origin)
  const hostname = hostnames.join(',')
  const all = {
    ...values,
    host,
    isTls: protocol === 'https:',
    hostname,
    first: hostnames[0] ?? '',
    inPlaceOf: (placeholder: string) => (hostnames.length === 1 ? placeholder : hostname),
  }
  return RECIPES.map(({ device, where = '', text, file }) => {
    const written = text(all)
    const second = file === undefined ? [] : [file(all)]
    return typeof written === 'string'
      ? { device, where, texts: [written, ...second] }
      : { device, where, texts: written.map(fieldsText), entries: written }
  })
}
