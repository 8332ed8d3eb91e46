import { readHostname } from '../../settings/hostname.ts'
import type { Remarks } from './imported.ts'

/** The valid ones of these hostnames. A text that does not look like a name is not shown, because it may be a password. */
export function validHostnames(names: readonly string[], line: number, remarks: Remarks): readonly string[] {
  return names.flatMap((name) => {
    if (name === '') return []
    const read = readHostname(name)
    if (read.ok) return [read.value]
    remarks.add(
      'not taken',
      line,
      isNameLike(name)
        ? `the hostname ${name} ${read.error}`
        : 'a word in the place of a hostname is not a hostname',
    )
    return []
  })
}

const isNameLike = (text: string): boolean => /^[A-Za-z0-9.*@_-]+$/.test(text)

/** Names for a remark, without those that may be something else. */
export const shownNames = (names: readonly string[]): string => names.filter(isNameLike).join(', ')

/** The names in a text with commas between them. */
export const listedNames = (text: string): readonly string[] =>
  text
    .split(/[,\s]+/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
