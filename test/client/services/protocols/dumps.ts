import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, 'dumps')

/** A part of `dumps/SERVICE.md`: an answer as it was quoted, or the mark that there is no dump of it. */
export interface Dump {
  readonly service: string
  /** What the answer means: a reply word, a word of this program, or `wait` for one that is not understood. */
  readonly word: string
  readonly isMissing: boolean
  /**
   * Values by name, in their order. `status`: assumed where the source names none. `step`: the request that has this answer
   * when it is played, else the last one. `pattern`, `code`: what of the preset is without a dump, `because` of what.
   */
  readonly fields: ReadonlyMap<string, readonly string[]>
  /** As it was quoted. Without a dump, a part of it or other words for it. */
  readonly text: string | undefined
}

export const DUMPED_SERVICES: readonly string[] = readdirSync(FOLDER).map((name) => name.replace(/\.md$/, ''))

export const DUMPS: readonly Dump[] = DUMPED_SERVICES.flatMap((service) =>
  readFileSync(join(FOLDER, `${service}.md`), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((part) => dumpIn(service, part)),
)

export const fieldsOf = ({ fields }: Dump, name: string): readonly string[] => fields.get(name) ?? []
export const fieldOf = (dump: Dump, name: string): string | undefined => fieldsOf(dump, name)[0]

/** A heading, a line `- name: value` for each field, and the text between fences. */
function dumpIn(service: string, part: string): Dump {
  const [facts = '', text] = part.split(/^```\n/m)
  const [heading = '', ...lines] = facts.split('\n').filter((line) => line !== '')
  const fields = new Map<string, readonly string[]>()
  for (const line of lines) {
    const [, name = '', value = line] = /^- (.+?): (.+)$/.exec(line) ?? []
    fields.set(name, [...(fields.get(name) ?? []), value])
  }
  return {
    service,
    word: heading.replace(/^no dump: /, ''),
    isMissing: heading.startsWith('no dump: '),
    fields,
    text: text?.replace(/\n$/, ''),
  }
}
