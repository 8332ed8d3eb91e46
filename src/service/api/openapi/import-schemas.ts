import { MAX_SHOWN_CHANGES } from '../request/limits.ts'
import { closedObject, list, nullableNumber, nullableString, ref, string, wholeNumber } from './schema.ts'

const count = (description: string) => wholeNumber(description, { minimum: 0 })
const LIMITED = { maxItems: MAX_SHOWN_CHANGES } as const
const recordsOf = (when: string) =>
  nullableString(`Its TTL and the beginning of its values ${when} the import; null: there is none.`)

/** The response of an import, and of its preview. */
export const IMPORT_SCHEMAS = {
  ZoneImport: closedObject('What an import changes. Lines that cannot be read are left out.', {
    new: count('RRSets that the zone gets.'),
    changed: count('RRSets that get another TTL or other values.'),
    removed: count('RRSets that the file does not have.'),
    same: count('RRSets that stay as they are.'),
    changes: list(
      ref('ZoneImportChange'),
      'The RRSets that do not stay as they are, by their names.',
      LIMITED,
    ),
    more_changes: count('How many of them are not in the list.'),
    digest: string(
      'A different one if anything else would change, also beyond the list and the beginnings of values.',
    ),
    refused: list(
      ref('ZoneImportRefusal'),
      'Only in a preview: why the import would be refused; the first kind of reasons that has any.',
      LIMITED,
    ),
    more_refused: count('How many of them are not in the list.'),
  }),
  ZoneImportChange: closedObject('An RRSet that does not stay as it is.', {
    name: string('The name, relative to the zone; @ is the apex.'),
    dns_type: ref('DnsType', 'The DNS type of the RRSet.'),
    change: string('What happens to it.', { enum: ['new', 'changed', 'removed'] }),
    before: recordsOf('before'),
    after: recordsOf('after'),
  }),
  ZoneImportRefusal: closedObject('Why a file is refused.', {
    line: nullableNumber('The line of the file; null: it is about the whole.', { minimum: 1 }),
    code: string('Identifies the kind of the error.'),
    title: string('What the kind of the error means.'),
    detail: nullableString('What is wrong.'),
  }),
}
