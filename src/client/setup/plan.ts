import { err, ok, type Result } from '../../shared/base/result.ts'
import { accountNamesIn, otherTopSettings, withAddedAccount, withTopSettings } from './added-account.ts'
import { type WrittenAccount, writtenAccounts } from './changed-account.ts'
import { isOneHostname } from '../settings/name-checks.ts'
import { parseDocument } from '../../shared/settings/document.ts'
import { diffLines } from './diff.ts'
import { distinctNames } from '../settings/account-names.ts'
import type { ConfigDraft, DraftAccount } from './draft.ts'
import { maskedConfiguration } from './shown.ts'
import { deletionRemark, providerCalled } from '../services/providers/providers.ts'
import { tsigKeyOf, updatesNameServer } from '../settings/protocols.ts'
import { changedPlan, isOtherLogin } from './changed-plan.ts'
import { changedConfig, draftFiles, passwordFileOf } from './draft-files.ts'
import { changeProblem, fileComplaints } from './file-complaints.ts'
import { isThere, type SetupPlan, textAt } from './new-files.ts'
import type { SetupPaths } from './paths.ts'

/** The files of a new configuration, or a configuration that exists with the accounts added. The error is for the user. */
export async function setupPlan(draft: ConfigDraft, paths: SetupPaths): Promise<Result<SetupPlan, string>> {
  const [problem] = keyProblems(draft)
  if (problem !== undefined) return err(problem)
  const existing = await textAt(paths.config)
  if (!existing.ok) return existing
  const json = paths.config.replace(/\.toml$/, '.json')
  if (existing.value === undefined && json !== paths.config && (await isThere(json)))
    return err(`${json} is the configuration of this user; add the account there, or write --output FILE`)
  const plan =
    existing.value === undefined || existing.value.trim() === ''
      ? await newPlan(draft, paths, existing.value)
      : await addedPlan(draft, paths, existing.value)
  if (!plan.ok) return err((await earlierFault(existing.value, paths)) ?? plan.error)
  for (const { path, mayReplace } of plan.value.files)
    if (mayReplace !== true && (await isThere(path)))
      return err(`${path} exists already; remove it if it is not needed`)
  return plan
}

/** What was wrong before: another account cannot be added to a file that a start refuses. */
async function earlierFault(text: string | undefined, { config }: SetupPaths): Promise<string | undefined> {
  const [fault] = text === undefined || text.trim() === '' ? [] : await fileComplaints(text)
  return fault && `${fault.replace(/^holdfast\.toml/, config)}; correct this first`
}

/** The password of an account for a name server is a key, which is checked before a file is written. */
const keyProblems = ({ accounts }: ConfigDraft): readonly string[] =>
  accounts.flatMap(({ settings, password }) => {
    const { provider, username } = settings
    if (!updatesNameServer({ provider: String(provider) }) || password === undefined) return []
    const key = tsigKeyOf({ username: String(username ?? '') }, password)
    return key.ok ? [] : [key.error]
  })

const familyRemarks = ({ accounts }: ConfigDraft): readonly string[] =>
  accounts.flatMap(({ name, settings }) => {
    const preset = providerCalled(String(settings['provider'] ?? ''))
    if (preset === undefined) return []
    const [ipv4, ipv6] = [settings['ipv4'] !== false, settings['ipv6'] !== false]
    const remark = deletionRemark(preset, { ipv4, ipv6 })
    const isIpv4Only = preset.settings['ipv6'] === 'false' && ipv6
    return [
      ...(isIpv4Only
        ? [`${name}: ${preset.name} takes no IPv6 address in this protocol, so only IPv4 is published`]
        : []),
      ...(remark === undefined ? [] : [`${name}: ${remark}`]),
    ]
  })

/** Names that no account has, and whose password files are not there: those belong to accounts without a name. */
async function freeNames(
  draft: ConfigDraft,
  paths: SetupPaths,
  used: readonly string[],
): Promise<readonly string[]> {
  const taken = [...new Set(used)]
  const names: string[] = []
  for (const { name } of draft.accounts) {
    let candidate = distinctNames([...taken, name]).at(-1) ?? name
    while (await isThere(paths.passwordFile({ name: candidate }, false))) {
      taken.push(candidate)
      candidate = distinctNames([...taken, name]).at(-1) ?? name
    }
    taken.push(candidate)
    names.push(candidate)
  }
  return names
}

async function newPlan(
  draft: ConfigDraft,
  paths: SetupPaths,
  existing: string | undefined,
): Promise<Result<SetupPlan, string>> {
  const { files, text } = draftFiles(draft, paths)
  const [complaint] = await fileComplaints(text)
  if (complaint !== undefined) return err(complaint.replace(/^holdfast\.toml:\d+: /, ''))
  return ok({
    config: paths.config,
    files: files.map((file) =>
      file.path === paths.config && existing !== undefined ? { ...file, mayReplace: true } : file,
    ),
    diff: [],
    remarks: familyRemarks(draft),
    accounts: draft.accounts.map(({ name }) => name),
  })
}

/** Another hostname, where the token is that of one. */
function needsOwnAccount({ settings }: DraftAccount, { hostnames }: WrittenAccount): boolean {
  const { provider } = settings
  const names = [settings['hostnames'] ?? []].flat().map(String)
  return (
    typeof provider === 'string' &&
    isOneHostname({ provider }) &&
    names.some((name) => !hostnames.includes(name))
  )
}

/** The account that is there and gets the new hostnames, or the new password; undefined where it is another login. */
async function changeable(
  wanted: DraftAccount,
  existing: string,
  paths: SetupPaths,
): Promise<WrittenAccount | undefined> {
  for (const one of writtenAccounts(existing, wanted.settings))
    if (!needsOwnAccount(wanted, one) && !(await isOtherLogin(wanted, one, paths))) return one
  return undefined
}

async function addedPlan(
  draft: ConfigDraft,
  paths: SetupPaths,
  existing: string,
): Promise<Result<SetupPlan, string>> {
  const parsed = parseDocument(existing, paths.config)
  if (!parsed.ok) return err(`${paths.config}:${parsed.error.line}: ${parsed.error.problem}`)
  const [only, ...others] = draft.accounts
  const written = only && others.length === 0 ? await changeable(only, existing, paths) : undefined
  if (only !== undefined && written !== undefined)
    return changedPlan({ ...draft, accounts: [only] }, written, { paths, existing })
  const names = await freeNames(draft, paths, accountNamesIn(existing))
  const accounts = draft.accounts.map((account, at) => ({ ...account, name: names[at] ?? account.name }))
  let text = withTopSettings(existing, draft.settings)
  for (const account of accounts) {
    const added = withAddedAccount(text, account, (one) => paths.passwordFile(one, false))
    if (!added.ok) return err(`${paths.config}: ${added.error}`)
    text = added.value
  }
  const problem = await changeProblem(text, paths.config, 'account')
  if (problem !== undefined) return err(problem)
  const passwords = accounts.flatMap((account) =>
    passwordFileOf(account, paths.passwordFile(account, false), { paths }),
  )
  return ok({
    config: paths.config,
    files: [...passwords, changedConfig(text, paths, existing)],
    // Lines with secrets are masked; a change of one of them alone is not shown.
    diff: diffLines(maskedConfiguration(existing), maskedConfiguration(text)),
    remarks: [...otherTopSettings(existing, draft.settings), ...familyRemarks(draft)],
    accounts: names,
  })
}
