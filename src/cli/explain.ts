import { readSettings } from '../app/client/settings.ts'
import { statusReport, unreadable } from '../app/client/status-report.ts'
import type { Exit } from '../app/exit-codes.ts'
import type { Failure } from '../app/failure.ts'
import { type Flags, textFlag } from '../app/flags.ts'
import { isNamedBy, listAccounts } from '../client/report/account-name.ts'
import { explainAccount } from '../client/report/explain-account.ts'
import { explained, sayExplained } from '../client/report/explain-word.ts'
import { fail, print, printJson } from './output.ts'

/** `holdfast explain`: what happened, since when, why, what to do and what comes next, in plain words. */
export async function explainCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const subject = textFlag(flags, 'subject')
  const word = subject === undefined ? undefined : explained(subject)
  if (word !== undefined) {
    if (asJson) printJson({ explained: word })
    else print(...sayExplained(word))
    return 'settled'
  }
  const settings = await readSettings(flags, 'names')
  if (!settings.ok) return fail((await unknownWord(flags, subject)) ?? settings.error, asJson)
  const standing = await statusReport(settings.value).catch(unreadable)
  if ('exit' in standing) return fail(standing, asJson)
  const { accounts } = standing
  const chosen = accounts.filter(
    (account) =>
      subject === undefined ||
      isNamedBy(subject, account) ||
      account.hostnames.some(({ hostname }) => hostname === subject.toLowerCase()),
  )
  if (chosen.length === 0)
    return fail(unknown(subject ?? '', `there are the accounts ${listAccounts(accounts)}`), asJson)
  if (asJson) printJson({ ...standing, accounts: chosen })
  else print(...chosen.flatMap((account, at) => [...(at > 0 ? [''] : []), ...explainAccount(account)]))
  return 'settled'
}

const unknown = (subject: string, there: string): Failure => ({
  exit: 'usage',
  messages: [`${subject} is neither a reply word nor an account nor a hostname; ${there}`],
})

/** Where nothing is configured, a word that is not known is a slip of the pen, and not a configuration to mend. */
async function unknownWord(flags: Flags, subject: string | undefined): Promise<Failure | undefined> {
  if (subject === undefined) return undefined
  const bare = await readSettings(flags, 'nothing')
  return bare.ok && bare.value.accounts.length === 0
    ? unknown(subject, 'no account is configured')
    : undefined
}
