import { explainAccount, explainFamilyWord, explainWord } from '../client/report/explain.ts'
import { isMeant, listOf } from '../client/report/subject.ts'
import { isFamilyWord, isReplyWord } from '../protocol/reply.ts'
import type { Exit } from './exit-codes.ts'
import type { Flags } from './commands.ts'
import { fail, print } from './output.ts'
import { readSettings, textFlag } from './settings.ts'
import { standingOf, unreadable } from './status.ts'

/** `holdfast explain`: what happened, since when, why, what to do and what comes next, in plain words. */
export async function explainCommand(flags: Flags): Promise<Exit> {
  const subject = textFlag(flags, 'subject')
  if (subject !== undefined && isReplyWord(subject)) {
    print(...explainWord(subject))
    return 'settled'
  }
  if (subject !== undefined && isFamilyWord(subject)) {
    print(...explainFamilyWord(subject))
    return 'settled'
  }
  const settings = await readSettings(flags, 'names')
  if (!settings.ok) return fail(settings.error, false)
  const standing = await standingOf(settings.value).catch(unreadable)
  if ('exit' in standing) return fail(standing, false)
  const { accounts } = standing
  const chosen = accounts.filter(
    (account) =>
      subject === undefined ||
      isMeant(subject, account) ||
      account.hostnames.some(({ hostname }) => hostname === subject.toLowerCase()),
  )
  if (chosen.length === 0)
    return fail(
      {
        exit: 'usage',
        says: [
          `${subject} is neither a reply word nor an account nor a hostname; there are the accounts ${listOf(accounts)}`,
        ],
      },
      false,
    )
  print(...chosen.flatMap((account, at) => [...(at > 0 ? [''] : []), ...explainAccount(account)]))
  return 'settled'
}
