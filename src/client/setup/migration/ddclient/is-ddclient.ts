import { Remarks } from '../imported.ts'
import { ddclientLines } from './lines.ts'

/** Every ddclient file that updates a host has one of these settings. */
const MARKS: ReadonlySet<string> = new Set(['protocol', 'use', 'usev4', 'usev6', 'login', 'login_env'])
/** The longest list of words behind the settings of a line: hosts, login, password. */
const MAX_WORDS = 3
const LIKE_HOSTS = /^[\w*@&=.-]+$/

/**
 * Whether a text is a file of ddclient: every line is settings without blanks around the equals sign, and perhaps hosts. In
 * a script, or a file of another program, some line begins with another word.
 */
export function isDdclient(text: string): boolean {
  // Sections, XML, and blocks.
  if (/^[ \t]*[[<]|[{};][ \t]*\r?$/m.test(text.replaceAll(/#.*$/gm, ''))) return false
  const lines = ddclientLines(text, new Remarks('')).filter(({ fault }) => fault === undefined)
  const settings = lines.flatMap((line) => line.settings)
  const protocol = settings.find(([name]) => name === 'protocol')?.[1]
  if (!settings.some(([name]) => MARKS.has(name))) return false
  if (protocol !== undefined && !/^[a-z0-9-]{2,}$/i.test(protocol)) return false
  const isHostLine = (rest: readonly string[]): boolean =>
    rest.length <= MAX_WORDS &&
    (rest[0] ?? '')
      .split(',')
      .every((name) => LIKE_HOSTS.test(name) && (protocol !== undefined || name.includes('.')))
  const hosts = lines.filter(({ rest }) => rest.length > 0)
  const hasHost = hosts.length > 0 || settings.some(([name]) => name === 'host')
  return hosts.every(({ rest }) => isHostLine(rest)) && (hasHost || protocol !== undefined)
}
