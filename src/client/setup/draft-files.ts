import { type ConfigDraft, type DraftAccount } from './draft.ts'
import { apiKeyPath, draftText } from './toml.ts'
import type { NewFile } from './new-files.ts'
import { PASSWORD_MODE, passwordFolderMode, type SetupPaths } from './paths.ts'

/** The text of the configuration, and all files of a draft. */
interface DraftFiles {
  readonly text: string
  readonly files: readonly NewFile[]
}

/** The password, and the API key where there is one: a line each, as password files have it. */
export const passwordFileOf = (
  account: DraftAccount,
  path: string,
  { paths, keyPath = apiKeyPath(path) }: { readonly paths: SetupPaths; readonly keyPath?: string },
): readonly NewFile[] =>
  [[path, account.password] as const, [keyPath, account.apiKey] as const].flatMap(
    ([file, secret]): readonly NewFile[] =>
      secret === undefined
        ? []
        : [
            {
              path: file,
              text: `${secret.reveal()}\n`,
              mode: PASSWORD_MODE,
              folderMode: passwordFolderMode(paths, file),
            },
          ],
  )

/** The configuration that exists, with another text. */
export const changedConfig = (text: string, paths: SetupPaths, existing: string): NewFile => ({
  path: paths.config,
  text,
  mode: paths.configMode,
  folderMode: paths.folderMode,
  mayReplace: true,
  replaces: existing,
})

/** The files of a new configuration: the passwords first, so that a configuration never names a file that is not there. */
export function draftFiles(draft: ConfigDraft, paths: SetupPaths): DraftFiles {
  // The unit loads one file of this name, which is the password.
  const isOnly = draft.accounts.length === 1 && draft.accounts[0]?.apiKey === undefined
  const pathOf = (account: DraftAccount): string => paths.passwordFile(account, isOnly)
  const text = draftText(draft, pathOf)
  return {
    text,
    files: [
      ...draft.accounts.flatMap((account) => passwordFileOf(account, pathOf(account), { paths })),
      { path: paths.config, text, mode: paths.configMode, folderMode: paths.folderMode },
    ],
  }
}
