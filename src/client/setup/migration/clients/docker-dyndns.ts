import { Secret } from '../../../../shared/base/secret.ts'
import { environmentOf } from '../environment.ts'
import { listedNames, validHostnames } from '../hostnames.ts'
import { type FormatRow, type ImportContext, type Imported, Remarks } from '../imported.ts'
import { DEFAULT_LOOKUP, fixedLookup } from '../lookup.ts'
import { intervalOf } from '../periods.ts'
import { endedAt, providerOfDdclient, providerOfOpenwrt } from '../services/service-names.ts'

/** Names of these images that no other client has. */
const SERVICES: Readonly<Record<string, string>> = { noip: 'no-ip', dyndns: 'dyn', dyn: 'dyn' }
const KNOWN: ReadonlySet<string> = new Set([
  'USER',
  'PASSWORD',
  'HOSTNAME',
  'SERVICE',
  'IP',
  'INTERVAL',
  'DETECTIP',
])

/** Reads the variables of the docker-dynamic-dns images. */
function importDockerDyndns(text: string, { file, variable }: ImportContext): Imported {
  const remarks = new Remarks(file)
  const all = environmentOf(text, variable)
  const valueOf = (name: string): string => all.get(name)?.value ?? ''
  const lineOf = (name: string): number => all.get(name)?.line ?? 1
  const service = valueOf('SERVICE').toLowerCase()
  const provider = SERVICES[service] ?? providerOfDdclient(service) ?? providerOfOpenwrt(service)
  for (const [name, { line }] of all)
    if (!KNOWN.has(name)) remarks.add('lost', line, `${name} has no counterpart`)
  if (provider === undefined) {
    const why = endedAt(service) ?? `SERVICE ${service} is not a service of this protocol`
    remarks.add('not taken', lineOf('SERVICE'), why)
    return { settings: {}, updates: [], remarks: remarks.all }
  }
  const password = all.get('PASSWORD')?.value
  const interval = all.get('INTERVAL')
  // Set to anything, it wins over IP.
  const isDetecting = valueOf('DETECTIP') !== ''
  if (isDetecting && valueOf('IP') !== '')
    remarks.add('lost', lineOf('IP'), 'DETECTIP is set, so IP is not used')
  return {
    // In minutes.
    settings: interval === undefined ? {} : intervalOf({ ...interval, value: `${interval.value}m` }, remarks),
    updates: [
      {
        place: { file, line: lineOf('SERVICE') },
        label: '',
        service: { provider },
        username: all.get('USER')?.value,
        password: password === undefined ? undefined : new Secret(password),
        hostnames: validHostnames(listedNames(valueOf('HOSTNAME')), lineOf('HOSTNAME'), remarks),
        ipv4: true,
        ipv6: false,
        lookup: (isDetecting ? undefined : fixedLookup(valueOf('IP'))) ?? DEFAULT_LOOKUP,
        settings: {},
      },
    ],
    remarks: remarks.all,
  }
}

export const DOCKER_DYNDNS: FormatRow = {
  read: importDockerDyndns,
  variables: ['SERVICE', 'HOSTNAME', 'USER', 'PASSWORD', 'IP'],
  matches: (text) =>
    ['SERVICE', 'HOSTNAME', 'USER'].every((name) =>
      new RegExp(`(?:^|[\\s"'-])${name}["']?[ \\t]*[=:]`, 'm').test(text),
    ),
  files: [],
  stop: 'stop the container',
}
