import { Secret } from '../../../net/secret.ts'
import { MAX_BYTES, textOf } from '../../text-file.ts'

/** Why the key of a webhook cannot be read. A value without slash and dot may be the key itself, which is not shown. */
export async function webhookKey(
  path: string | undefined,
): Promise<{ readonly key?: Secret; readonly problem?: string }> {
  const read = await textOf(path, { setting: 'webhook_secret_file', maxBytes: MAX_BYTES.password })
  if (!read.ok)
    return {
      problem:
        path !== undefined && !/[/.]/.test(path)
          ? 'webhook_secret_file must name a file with the key, and there is no such file'
          : read.error,
    }
  const text = (read.value ?? '').replace(/\r?\n$/, '')
  if (path !== undefined && text === '') return { problem: `webhook_secret_file ${path} is empty` }
  return text === '' ? {} : { key: new Secret(text) }
}
