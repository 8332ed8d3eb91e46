/** What a device must know. */
export interface RecipeValues {
  /** Scheme, host and port of the service. */
  readonly origin: string
  readonly username: string
  readonly password: string
  /** One at least. */
  readonly hostnames: readonly string[]
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
  readonly text: (values: RecipeParts) => string
  /** A second file, which is copied by itself. */
  readonly file?: (values: RecipeParts) => string
}

const UPDATE = '/nic/update?hostname='
const fields = (rows: Readonly<Record<string, string>>): string =>
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
    text: ({ origin, username, password, first, inPlaceOf }) =>
      fields({
        'Update-URL': `${origin}${UPDATE}${inPlaceOf('<domain>')}&myip=<ipaddr>,<ip6addr>`,
        Domain: first,
        User: username,
        Password: password,
      }),
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
    text: ({ origin, username, password, hostname }) =>
      fields({
        'Service Type': 'Custom',
        Username: username,
        Password: password,
        'Update URL': `${origin}${UPDATE}${hostname}&myip=%IP%`,
        'Result Match': 'good %IP%|nochg %IP%',
      }),
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
]

export interface WrittenRecipe {
  readonly device: string
  readonly where: string
  /** One, or two: each is copied by itself. */
  readonly texts: readonly string[]
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
  return RECIPES.map(({ device, where = '', text, file }) => ({
    device,
    where,
    texts: [text(all), ...(file === undefined ? [] : [file(all)])],
  }))
}
