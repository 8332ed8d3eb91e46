import { isAbsolute } from 'node:path'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { otherTopSettings, withTopSettings } from './added-account.ts'
import { withHostnames, withSetting, type WrittenAccount } from './changed-account.ts'
import { diffLines } from './diff.ts'
import type { ConfigDraft, DraftAccount } from './draft.ts'
import { maskedConfiguration } from './shown.ts'
import { nameProblems } from '../settings/name-checks.ts'
import { secretText } from '../../shared/program/config-file.ts'
import { expandHome } from '../../shared/program/paths.ts'
import { changedConfig, passwordFileOf } from './draft-files.ts'
import { changeProblem, passwordFilesOfUser } from './file-complaints.ts'
import { isThere, type NewFile, type SetupPlan, textAt } from './new-files.ts'
import type { SetupPaths } from './paths.ts'

interface ExistingFile {
  readonly paths: SetupPaths
  readonly existing: string
}

/** An account that is in the configuration: it gets the new hostnames, and the password. Its other settings stay. */
export async function changedPlan(
  { settings, accounts: [wanted] }: ConfigDraft & { readonly accounts: readonly [DraftAccount] },
  account: WrittenAccount,
  { paths, existing }: ExistingFile,
): Promise<Result<SetupPlan, string>> {
  const names = [wanted.settings['hostnames'] ?? []].flat().map(String)
  const added = names.filter((name) => !account.hostnames.includes(name))
  const top = withTopSettings(existing, settings)
  const problemOf = (name: string): string | undefined => nameProblems([name], wanted.settings)[0]
  const refused = account.hostnames.filter((name) => problemOf(name) !== undefined)
  const all = [...account.hostnames.filter((name) => !refused.includes(name)), ...added]
  const withAdded = added.length === 0 ? top : withHostnames(top, account, added)
  // A start refuses them, whatever is added.
  const named =
    refused.length > 0 && all.length > 0 ? withSetting(top, account, ['hostnames', all]) : withAdded
  const password = await newPassword(wanted, account, paths)
  if (!password.ok) return password
  const text = Object.entries(password.value.settings).reduce(
    (before, setting) => withSetting(before, account, setting),
    named,
  )
  const problem = await changeProblem(text, paths.config)
  if (problem !== undefined) return err(problem)
  return ok({
    config: paths.config,
    files: [...password.value.files, ...(text === existing ? [] : [changedConfig(text, paths, existing)])],
    diff: [
      ...diffLines(maskedConfiguration(existing), maskedConfiguration(text)),
      ...password.value.files.map(
        ({ path, text: secret }) =>
          `  the new ${secret.trimEnd() === wanted.apiKey?.reveal() ? 'API key' : 'password'} is written to ${path}`,
      ),
      ...('password' in password.value.settings ? ['  the new password is written to this file'] : []),
    ],
    remarks: [
      ...refused.map((name) => `${name} is taken out: ${problemOf(name)}`),
      ...otherTopSettings(existing, settings),
    ],
    accounts: [account.name],
  })
}

/**
 * Another token for other hostnames, where no username says which login it is: the account that is there keeps its token.
 * For one of its hostnames, the token replaces the one before.
 */
export async function isOtherLogin(
  { settings, password }: DraftAccount,
  account: WrittenAccount,
  paths: SetupPaths,
): Promise<boolean> {
  const names = [settings['hostnames'] ?? []].flat().map(String)
  if (settings['username'] !== undefined || names.some((name) => account.hostnames.includes(name)))
    return false
  const before = account.password?.reveal() ?? (await writtenPassword(account, paths))
  return before !== undefined && password !== undefined && before !== password.reveal()
}

/** Undefined where it is in no file that can be read. */
async function writtenPassword(account: WrittenAccount, paths: SetupPaths): Promise<string | undefined> {
  const written = account.passwordFile === undefined ? undefined : expandHome(account.passwordFile)
  const own = written?.ok === true ? written.value : await fileOfRoot(account)
  const text = await textAt(own ?? paths.passwordFile({ name: account.name }, false))
  return text.ok && text.value !== undefined ? secretText(text.value) : undefined
}

interface PasswordChange {
  readonly files: readonly NewFile[]
  /** Settings of the account that change with it. */
  readonly settings: Readonly<Record<string, string>>
}

/** Nothing where the account has this password. */
async function newPassword(
  wanted: DraftAccount,
  account: WrittenAccount,
  paths: SetupPaths,
): Promise<Result<PasswordChange, string>> {
  const { password, apiKey } = wanted
  if (account.hasApiKey !== (apiKey !== undefined) && (password !== undefined || apiKey !== undefined))
    return err(
      account.hasApiKey
        ? `${paths.config}: ${account.name} has an API key; give the one that belongs to this password, or remove it there`
        : `${paths.config}: ${account.name} has no API key; set api_key_file there`,
    )
  if (password === undefined) return ok({ files: [], settings: {} })
  if (account.hasPassword || account.hasOwnApiKey) {
    // What stands in the text is replaced there.
    if (account.hasPassword !== account.hasOwnApiKey && account.hasApiKey)
      return err(
        `${paths.config}: ${account.name} has one secret in this file and one in another; change them there`,
      )
    const key = apiKey === undefined ? {} : { api_key: apiKey.reveal() }
    return ok({ files: [], settings: { password: password.reveal(), ...key } })
  }
  if (account.passwordFile === '-')
    return err(`${paths.config}: ${account.name} reads its password from standard input; change it there`)
  const written = account.passwordFile === undefined ? undefined : expandHome(account.passwordFile)
  if (written?.ok === false) return err(`${paths.config}: password_file ${written.error}`)
  if (written !== undefined && !isAbsolute(written.value))
    return err(
      `${paths.config}: password_file ${written.value} depends on the folder; write the password into it`,
    )
  const used = written?.value ?? (await fileOfRoot(account))
  const path = used ?? paths.passwordFile({ name: account.name }, false)
  if (used === undefined && (await isThere(path)))
    return err(`${path} exists already; remove it if it is not needed`)
  const key = account.apiKeyFile === undefined ? ok(undefined) : expandHome(account.apiKeyFile)
  if (!key.ok || (key.value !== undefined && !isAbsolute(key.value)))
    return err(`${paths.config}: api_key_file depends on the folder; write the key into it`)
  const all = passwordFileOf(wanted, path, { paths, ...(key.value !== undefined && { keyPath: key.value }) })
  const texts = await Promise.all(all.map(async (file) => textAt(file.path)))
  const files = all.filter(({ text }, at) => {
    const there = texts[at]
    return there?.ok !== true || there.value?.trimEnd() !== text.trimEnd()
  })
  return ok({
    files: files.map((file) => ({ ...file, mayReplace: true, isSecret: true })),
    settings: used === undefined ? { password_file: path } : {},
  })
}

/** The file that the unit of the system loads for an account without a password file. */
async function fileOfRoot({ name }: WrittenAccount): Promise<string | undefined> {
  return (await passwordFilesOfUser())({ name })
}
