import { parseDocument } from '../../config/document.ts'
import { readClientConfig } from '../../config/read-client.ts'
import { formatComplaint } from '../../config/setting.ts'

/** What is wrong with the text of a new configuration, or missing in it. */
export function draftComplaints(text: string): readonly string[] {
  const name = 'holdfast.toml'
  const read = readClientConfig({
    flags: {},
    environment: {},
    file: { name, document: parseDocument(text, name) },
    chosen: [],
  })
  return read.ok ? [] : read.error.map(formatComplaint)
}
