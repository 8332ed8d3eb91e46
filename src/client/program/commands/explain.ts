import { readSettings, readSoundSettings } from '../../settings/settings.ts'
import { stateFailure, statusReport } from '../status/status-report.ts'
import type { Exit, Failure } from '../../../shared/program/exit-codes.ts'
import { outputGone } from '../../../shared/program/streams.ts'
import { nearest } from '../../../shared/base/nearest.ts'
import { REPLY_WORDS } from '../../../shared/protocol/reply.ts'
import { isNamedBy, listAccounts } from '../../report/account-name.ts'
import type { AccountReport } from '../../report/report.ts'
import { explainAccount } from '../../report/explain-account.ts'
import { troubleLines } from '../../report/troubles.ts'
import { explainReply, formatExplanation } from '../../report/explain-word.ts'
import type { ExplainFlags } from './flags.ts'
import { systemPorts } from '../system.ts'
import { fail, printJson, printWrapped } from '../../../shared/program/output.ts'

/** `holdfast explain`: explains a reply word, or the state of the accounts that the subject names. */
export async function explainCommand(flags: ExplainFlags): Promise<Exit> {
  const { asJson, subject } = flags
  const word = subject === undefined ? undefined : explainReply(subject)
  if (word !== undefined) {
    if (asJson) printJson({ explained: word })
    else printWrapped(...formatExplanation(word))
    return 'settled'
  }
  const settings = await readSoundSettings(flags.settings, 'names')
  if (!settings.ok) return fail(settings.error, asJson)
  const system = systemPorts()
  const report = await statusReport(settings.value, system, flags.settings.accounts).catch(stateFailure)
  if ('exit' in report) return fail((await unknownWord(flags)) ?? report, asJson)
  const { accounts } = report
  const chosen = accounts.filter(
    (account) =>
      subject === undefined ||
      isNamedBy(subject, account) ||
      account.hostnames.some(({ hostname }) => hostname === subject.toLowerCase()),
  )
  if (chosen.length === 0)
    return fail(unknownSubject(subject ?? '', `the accounts are ${listAccounts(accounts)}`), asJson)
  const { verifyNow } = await import('../verify/verified-reports.ts')
  const verified = await verifyNow(settings.value, chosen, {
    system,
    signal: outputGone,
    ...hostnameOf(chosen, subject),
  })
  if (asJson) printJson({ ...report, accounts: verified })
  else
    printWrapped(
      ...verified.flatMap((account, at) => [...(at > 0 ? [''] : []), ...explainAccount(account)]),
      ...troubleLines(report.troubles ?? []),
      ...(report.notes ?? []),
    )
  return 'settled'
}

/** The hostname that the subject names, where it names no whole account. */
function hostnameOf(accounts: readonly AccountReport[], subject = ''): { hostname?: string } {
  const hostname = subject.toLowerCase()
  const isAccount = accounts.some((account) => isNamedBy(subject, account))
  return subject === '' || isAccount ? {} : { hostname }
}

function orNearest(subject: string): string {
  const near = nearest(subject, REPLY_WORDS)
  return near === undefined ? '' : ` (did you mean ${near}?)`
}

const unknownSubject = (subject: string, remark: string): Failure => ({
  exit: 'usage',
  messages: [
    `${subject} is neither a reply word nor an account nor a hostname${orNearest(subject)}; ${remark}`,
  ],
})

/** Without any configuration, an unknown word is a typing error and not a configuration error. */
async function unknownWord({ settings, subject }: ExplainFlags): Promise<Failure | undefined> {
  if (subject === undefined) return undefined
  const bare = await readSettings(settings, 'nothing')
  return bare.ok && bare.value.accounts.length === 0
    ? unknownSubject(subject, 'no account is configured')
    : undefined
}
