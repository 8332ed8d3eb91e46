import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Every encoding in which a secret could leak; with a username also that of Basic. */
export const formsOf = (secret: string, username?: string): readonly string[] =>
  [
    secret,
    secret.slice(0, 12),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    ...(username === undefined ? [] : [Buffer.from(`${username}:${secret}`).toString('base64')]),
    Buffer.from(secret).toString('hex'),
    encodeURIComponent(secret),
    encodeURI(secret),
    new URLSearchParams({ p: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
  ].flatMap((form) => [form, form.replace(/=+$/, '')])

/** The text of all files below a folder, with their names. */
export const contents = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(
      (entry) =>
        `${entry.name}\n${entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), 'latin1') : ''}`,
    )
    .join('\n')

/** Those of the forms that a text has, which may be the octets of one in UTF-8. */
export const leaksIn = (text: string, forms: readonly string[]): readonly string[] => {
  const decoded = Buffer.from(text, 'latin1').toString('utf8')
  return forms.filter((form) => text.includes(form) || decoded.includes(form))
}
