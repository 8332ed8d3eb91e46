/**
 * Spec, "Dynamic update protocol", header User-Agent:
 *   hardware  <company> <DeviceName-Model>/<FirmwareVersionNumber>
 *   software  <company> <NameOfProgram>/<OSVersion-ReleaseVersion>
 * either followed by the maintainer's contact.
 */
interface UserAgent {
  readonly company: string
  /** The program, or the device and its model. */
  readonly product: string
  /** OS version and release, or the firmware version. */
  readonly version: string
  readonly contact?: string
}

export const formatUserAgent = ({ company, product, version, contact }: UserAgent): string =>
  [company, `${product}/${version}`, ...(contact === undefined ? [] : [contact])].join(' ')

/** The inverse; undefined for any other form. The company may be several words. */
export function parseUserAgent(text: string): UserAgent | undefined {
  const shape = /^((?:[^\s/@]+ )*?[^\s/@]+) ([^\s/@]+)\/([^\s/@]+)(?: <?([^\s<>@]+@[^\s<>@]+)>?)?$/.exec(text)
  if (shape === null) return undefined
  const [, company = '', product = '', version = '', contact] = shape
  return { company, product, version, ...(contact !== undefined && { contact }) }
}

/** A text as one part of a User-Agent: replaces characters that separate its parts, such as blanks, slashes and at-signs. */
export const agentToken = (text: string): string =>
  text.replace(/[^A-Za-z0-9._+~-]+/g, '-').replace(/^-|-$/g, '') || '0'

export type UserAgentClass = 'descriptive' | 'nondescriptive' | 'refused'

/**
 * How a service handles a User-Agent: `refused` where it is empty or contains one of `blocked` (lower case),
 * `undescriptive` where it does not have the documented form.
 */
export function classifyUserAgent(text: string | undefined, blocked: readonly string[]): UserAgentClass {
  const agent = (text ?? '').trim()
  if (agent === '' || blocked.some((fragment) => agent.toLowerCase().includes(fragment))) return 'refused'
  return parseUserAgent(agent) === undefined ? 'nondescriptive' : 'descriptive'
}
