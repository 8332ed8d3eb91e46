import { err, ok, type Result } from '../../../base/result.ts'
import type { MakeProtocol } from '../../../client/protocols/protocol.ts'
import type { AccountConfig } from '../../../config/read-client.ts'
import { formatComplaint } from '../../../config/setting.ts'

/** The protocol of an account, unless it is /nic/update: its code is loaded only here. The errors are complaints. */
export async function protocolFor(
  account: AccountConfig,
): Promise<Result<MakeProtocol | undefined, readonly string[]>> {
  const { url } = account
  if (url === undefined) return ok(undefined)
  const { templateFor, templateProblems } = await import('./template-account.ts')
  const problems = templateProblems({ ...account, url })
  if (problems.length === 0) return ok(templateFor({ ...account, url }))
  return err(
    problems.map(({ key, problem }) => formatComplaint({ where: account.places[key] ?? '', problem })),
  )
}
