import type { ConfigDraft } from './draft.ts'
import { draftText } from './toml.ts'
import { parseDocument } from '../../shared/settings/document.ts'
import { readClientConfig } from '../settings/read-client.ts'
import { formatComplaint } from '../../shared/settings/setting.ts'
import { isRoot } from '../../shared/program/paths.ts'
import { passwordFiles } from '../settings/password-files.ts'
import { protocolFor } from '../settings/protocols.ts'

/** Where this user finds the passwords of accounts without a password file. */
export const passwordFilesOfUser = async (): ReturnType<typeof passwordFiles> =>
  passwordFiles({ credentials: undefined, isRoot: isRoot() })

const TEXT_NAME = 'holdfast.toml'
const configOf = async (text: string): Promise<ReturnType<typeof readClientConfig>> =>
  readClientConfig({
    flags: {},
    environment: {},
    file: { name: TEXT_NAME, document: parseDocument(text, TEXT_NAME) },
    chosen: [],
    passwordFileFor: await passwordFilesOfUser(),
  })

/** What is wrong with the text of a new configuration, or missing in it: what a start with it would refuse. */
export async function fileComplaints(text: string): Promise<readonly string[]> {
  const read = await configOf(text)
  if (!read.ok) return read.error.map(formatComplaint)
  const protocols = await Promise.all(read.value.accounts.map(protocolFor))
  return protocols.flatMap((one) => (one.ok ? [] : one.error))
}

/** What a start would refuse of a file with a change in it, for its user; undefined where nothing is wrong. */
export async function changeProblem(
  text: string,
  file: string,
  change = 'change',
): Promise<string | undefined> {
  const [complaint] = await fileComplaints(text)
  return complaint && `${file} with this ${change}: ${complaint.replace('holdfast.toml:', 'line ')}`
}

/** What a start would refuse, and where. */
export interface FileComplaint {
  readonly line: number | undefined
  readonly problem: string
}

/** The same with the line. */
export const complaintsIn = async (text: string): Promise<readonly FileComplaint[]> =>
  (await fileComplaints(text)).map((complaint) => {
    const [where = '', line] = /^holdfast\.toml:(\d+): /.exec(complaint) ?? []
    return { line: line === undefined ? undefined : Number(line), problem: complaint.slice(where.length) }
  })

/** What a start would refuse of an account, with the setting. */
interface DraftComplaint {
  readonly key: string | undefined
  readonly problem: string
}

export async function draftComplaint(draft: ConfigDraft): Promise<DraftComplaint | undefined> {
  const text = draftText(draft, ({ name }) => `/${name}.password`)
  const [complaint] = await complaintsIn(text)
  if (complaint === undefined) return undefined
  const [key] = /^[a-z0-9_]+/.exec(text.split('\n')[(complaint.line ?? 0) - 1] ?? '') ?? []
  return { key, problem: complaint.problem }
}
