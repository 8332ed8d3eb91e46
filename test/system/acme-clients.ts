import { X509Certificate } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../e2e/processes.ts'
import type { AcmeAuthority } from './acme-authority.ts'
import { blocksBelow, type Ran, shell, type Variables, withArguments } from './documented.ts'
import type { ToolService } from './tool-service.ts'

/** An ACME client, driven by a block of docs/acme.md. */
export interface AcmeClient {
  /** The heading of its section. */
  readonly heading: string
  readonly programs: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Where it puts the certificate for a name, in its folder. */
  readonly certificate: (name: string) => string
}

const CERTBOT = (name: string): string => `config/live/${name}/cert.pem`
const LEGO = (name: string): string => `certificates/${name}.crt`

// biome-ignore format: a table
export const CLIENTS: Readonly<Record<string, AcmeClient>> = {
  'certbot with dns-rfc2136': { heading: 'certbot with dns-rfc2136', programs: ['certbot'], certificate: CERTBOT },
  'certbot with our hook': { heading: 'certbot with our hook', programs: ['certbot', 'curl'], certificate: CERTBOT },
  'lego with rfc2136': { heading: 'lego with rfc2136', programs: ['lego'], certificate: LEGO },
  'lego with httpreq': { heading: 'lego with httpreq', programs: ['lego'], certificate: LEGO },
  'lego with httpreq, RAW': { heading: 'lego with httpreq', programs: ['lego'], env: { HTTPREQ_MODE: 'RAW' }, certificate: LEGO },
  'dehydrated': { heading: 'dehydrated', programs: ['dehydrated', 'curl'], certificate: (name) => `certs/${name}/cert.pem` },
  'dehydrated, several challenges at once': { heading: 'dehydrated', programs: ['dehydrated', 'curl'], env: { CHAIN: 'yes' }, certificate: (name) => `certs/${name}/cert.pem` },
}

/** What the documents leave out: the authority of the test in the place of Let's Encrypt, and folders of its own. */
export function surroundings({ directory, ca }: AcmeAuthority, dns: number, more = ''): string {
  const folders = '--config-dir "$DIR/config" --work-dir "$DIR/work" --logs-dir "$DIR/logs"'
  const account = '--non-interactive --agree-tos --register-unsafely-without-email'
  // In a network without a resolver, lego cannot ask name servers by their names.
  const questions = `--dns.resolvers 127.0.0.1:${dns} --dns.disable-cp`
  return [
    `export REQUESTS_CA_BUNDLE=${ca} LEGO_CA_CERTIFICATES=${ca}`,
    withArguments('certbot', `${folders} --server ${directory} ${account}`, more),
    withArguments('lego', `--path "$DIR" --server ${directory} ${questions}`),
    `dehydrated() { dehydrated_settings >> $DIR/dehydrated.conf; command dehydrated "$@" --ca ${directory}; }`,
    // The key of the account would have 4096 bits, which takes seconds.
    `dehydrated_settings() { echo HOOK_CHAIN=$CHAIN ACCOUNT_KEYSIZE=2048 "CURL_OPTS='--cacert ${ca}'"; }`,
    '',
  ].join('\n')
}

interface Issued extends Ran {
  /** The names in the certificate, if there is one. */
  readonly names: string | undefined
}

interface Surroundings {
  readonly at: ToolService
  readonly authority: AcmeAuthority
  readonly folder: string
}

/** Makes the keys of docs/acme.md: the variables of the page, and the file `api-key` in the folder. */
export async function challengeVariables(
  at: ToolService,
  folder: string,
  change: (text: string) => string = (text) => text,
): Promise<Variables> {
  const [api = '', tsig = ''] = blocksBelow('docs/acme.md', 'Make a key with the least rights').map(change)
  const { key = '' } = await at.create(api)
  writeFileSync(join(folder, 'api-key'), `${key}\n`, { mode: 0o600 })
  return at.variables(folder, await at.create(tsig))
}

/** Gets a certificate for a name below example.test and what is beneath it. */
export async function issue(
  { at, authority, folder }: Surroundings,
  { heading, env, certificate }: AcmeClient,
  name: string,
  more = '',
): Promise<Issued> {
  const own = join(folder, name)
  mkdirSync(own)
  const change = (text: string): string => text.replaceAll('home.example.test', name)
  const variables = await challengeVariables(at, own, change)
  const text =
    surroundings(authority, at.dns, more) + blocksBelow('docs/acme.md', heading).map(change).join('\n')
  const ran = await shell(text, { ...variables, HOOKS: join(ROOT, 'config/acme'), ...env })
  return { ...ran, names: namesIn(join(own, certificate(name))) }
}

function namesIn(file: string): string | undefined {
  try {
    return new X509Certificate(readFileSync(file)).subjectAltName
  } catch {
    return undefined
  }
}
