import { parseDocument } from '../../config/document.ts'
import { type PasswordFileFor, readClientConfig } from '../../config/read-client.ts'
import { formatComplaint } from '../../config/setting.ts'

/** What is wrong with the text of a new configuration, or missing. `passwordFileFor`: where it names no password file. */
export function draftComplaints(text: string, passwordFileFor?: PasswordFileFor): readonly string[] {
  const name = 'holdfast.toml'
  const read = readClientConfig({
    flags: {},
    environment: {},
    file: { name, document: parseDocument(text, name) },
    chosen: [],
    ...(passwordFileFor !== undefined && { passwordFileFor }),
  })
  return read.ok ? [] : read.error.map(formatComplaint)
}
