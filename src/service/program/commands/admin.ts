import { type Exit, type Failure, usageFailure } from '../../../shared/program/exit-codes.ts'
import { programName } from '../../../shared/program/about.ts'
import { openStore, storeFailure } from '../../admin/store/open-store.ts'
import { operatorChange } from '../../admin/operator-changes.ts'
import { canMail, mailer } from '../mail.ts'
import { type AdminSettings, storeSettings } from '../settings.ts'
import { sweepHidden } from '../../admin/store/sweeper.ts'
import { placeName } from '../../admin/store/place.ts'
import { STORE_OPERATIONS } from '../../admin/store-operations.ts'
import { err, ok, type Result } from '../../../shared/base/result.ts'
import { systemClock } from '../../../shared/platform/clock/clock.ts'
import type { AdminOperation, OperationResult } from '../../admin/operation.ts'
import { ADMIN_OPERATIONS, isChange } from '../../admin/operations.ts'
import type { AdminFlags } from './flags.ts'
import { fail, tryToPrint } from '../../../shared/program/output.ts'

/** `holdfast admin`: changes the store directly, with or without a running service. */
export async function adminCommand({ asJson, words, settings }: AdminFlags): Promise<Exit> {
  const name = operationOf(words)
  if (name === undefined) return fail({ exit: 'usage', messages: [listFor(words)] }, asJson)
  const resolved = await storeSettings(settings)
  if (!resolved.ok) return fail(resolved.error, asJson)
  const { place, nameservers } = resolved.value
  const args = words.slice(name.split(' ').length)
  const surplus = surplusOf(name, args)
  if (surplus !== undefined) return fail({ exit: 'usage', messages: surplus }, asJson)
  const onStore = STORE_OPERATIONS[name]
  const outcome = await (onStore === undefined
    ? runInStore(name, args, resolved.value)
    : onStore.run(place, args, nameservers)
  ).catch((error: unknown) => err(storeFailure(placeName(place), error)))
  if (!outcome.ok)
    return fail({ ...outcome.error, messages: outcome.error.messages.map(withProgram) }, asJson)
  return printResult({ ...outcome.value, lines: outcome.value.lines.map(withProgram) }, asJson)
}

/** Messages name the command that this program is installed as. */
const withProgram = (text: string): string => text.replaceAll('holdfast admin ', `${programName()} admin `)

/**
 * Incomplete output is a failure: a script may store it as a zone. A reader that has ended, as in `| head`, needs no
 * message, except for a secret: it is shown only once, and the user must learn that it is lost.
 */
async function printResult({ lines, data }: OperationResult, asJson: boolean): Promise<Exit> {
  const failure = asJson ? await tryToPrint(JSON.stringify(data)) : await tryToPrint(...lines)
  if (failure === undefined) return 'settled'
  const isSecretLost = ['password', 'key'].some((field) => Object.hasOwn(data, field))
  if (failure.code === 'EPIPE' && !isSecretLost) return 'unwritten'
  const what = isSecretLost
    ? 'a new secret is lost; make another one'
    : `its output is incomplete (${failure.message}); the operation itself was done`
  return fail({ exit: 'unwritten', messages: [`standard output cannot be written: ${what}`] }, false)
}

async function runInStore(
  name: string,
  args: readonly string[],
  settings: AdminSettings,
): Promise<Result<OperationResult, Failure>> {
  const { place, nameservers, catalogZone, console, contact } = settings
  const operation = ADMIN_OPERATIONS[name]
  const opened = await openStore(place)
  if (!opened.ok || operation === undefined) return opened.ok ? ok({ lines: [], data: {} }) : opened
  const { store, pepper } = opened.value
  try {
    const now = systemClock.now()
    const context = { pepper, nameservers, catalogZone, console, contact, canMail: canMail(settings), now }
    const outcome = await store.write(async (w) => {
      const result = await operation.run({ w, ...context }, args)
      if (result.ok && isChange(name)) {
        const { before } = result.value
        await w.addOperatorChange({
          ...operatorChange(name, args, context.now),
          ...(before !== undefined && { before }),
        })
      }
      return result
    })
    if (outcome.ok) {
      await sweepHidden(store)
      return ok(await withMailSent(settings, outcome.value))
    }
    const usage = `usage: holdfast admin ${name} ${operation.parameters}`
    return usageFailure(outcome.error, usage)
  } finally {
    await store.close()
  }
}

/** It is stored, and its link is shown, whatever the mail server says. */
async function withMailSent(settings: AdminSettings, result: OperationResult): Promise<OperationResult> {
  const { mail, lines, data } = result
  if (mail === undefined) return result
  const fault = await mailer(settings, new AbortController().signal)(mail)
  const said = fault === undefined ? `sent to ${mail.to}` : `not sent to ${mail.to}: ${fault}`
  return { lines: [...lines, said], data: { ...data, mailed: fault === undefined } }
}

const OPERATIONS: Readonly<Record<string, Pick<AdminOperation, 'parameters' | 'summary'>>> = {
  ...STORE_OPERATIONS,
  ...ADMIN_OPERATIONS,
}

/** Says that an operation has more arguments than parameters: an argument that is ignored misleads its user. */
function surplusOf(name: string, args: readonly string[]): readonly string[] | undefined {
  const { parameters = '' } = OPERATIONS[name] ?? {}
  const most = parameters === '' ? 0 : parameters.split(' ').length
  if (parameters.includes('…') || args.length <= most) return undefined
  return [`${args[most]} is one argument too many`, `usage: holdfast admin ${name} ${parameters}`.trim()]
}

/** The operation that the words begin with. */
const operationOf = (words: readonly string[]): string | undefined =>
  Object.keys(OPERATIONS).find((name) => words.slice(0, name.split(' ').length).join(' ') === name)

/** The operations on the same subject as the first word, such as `zone`; all of them without one. */
function listFor([subject = '', ...rest]: readonly string[]): string {
  const all = Object.entries(OPERATIONS)
  const alike = all.filter(([name]) => name.split(' ')[0] === subject)
  const heading =
    subject === ''
      ? 'name an operation, one of these:'
      : `${[subject, ...rest].join(' ').slice(0, 60)} is not an operation; use one of these:`
  return [
    heading,
    ...(alike.length > 0 ? alike : all).flatMap(([name, { parameters, summary }]) => [
      `  ${`${name} ${parameters}`.trim()}`,
      `      ${summary}`,
    ]),
  ].join('\n')
}
