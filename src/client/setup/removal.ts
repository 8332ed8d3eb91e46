import { err, ok, type Result } from '../../shared/base/result.ts'
import { parseDocument } from '../../shared/settings/document.ts'
import { withSetting, writtenAccounts } from './changed-account.ts'
import { diffLines } from './diff.ts'
import { changedConfig } from './draft-files.ts'
import { changeProblem } from './file-complaints.ts'
import { type SetupPlan, textAt } from './new-files.ts'
import type { SetupPaths } from './paths.ts'
import { maskedConfiguration } from './shown.ts'

/** The configuration without these hostnames. The error is for the user. */
export async function removalPlan(
  names: readonly string[],
  paths: SetupPaths,
): Promise<Result<SetupPlan, string>> {
  const there = await textAt(paths.config)
  if (!there.ok) return there
  const existing = there.value ?? ''
  const parsed = parseDocument(existing, paths.config)
  if (!parsed.ok) return err(`${paths.config}:${parsed.error.line}: ${parsed.error.problem}`)
  let text = existing
  const changed: string[] = []
  for (const name of names) {
    const account = writtenAccounts(text).find(({ hostnames }) => hostnames.includes(name))
    if (account === undefined) return err(`${name} is not a hostname of ${paths.config}`)
    const rest = account.hostnames.filter((one) => one !== name)
    if (rest.length === 0)
      return err(
        `${name} is the only hostname of the account ${account.name}; remove the account from ${paths.config}`,
      )
    text = withSetting(text, account, ['hostnames', rest])
    changed.push(account.name)
  }
  const problem = await changeProblem(text, paths.config)
  if (problem !== undefined) return err(problem)
  return ok({
    config: paths.config,
    files: [changedConfig(text, paths, existing)],
    diff: diffLines(maskedConfiguration(existing), maskedConfiguration(text)),
    remarks: names.map((name) => `the record of ${name} stays at its service, with its last address`),
    accounts: [...new Set(changed)],
  })
}
