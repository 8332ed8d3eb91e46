import type { OutgoingMail } from '../../../shared/base/mail.ts'
import { hasFullAccess } from '../../rules/permission.ts'
import type { Named, SchemaName } from '../openapi/schemas.ts'
import { readListing } from '../query/query.ts'
import { type OperatorRequest, type RequestContext, type Success, unexpected } from '../request/context.ts'
import { faulty, type Malformed } from '../request/faults.ts'
import { listResult, pageOfRows } from '../answer/list.ts'

/** An operation of `holdfast admin`, with its arguments. */
export type OperatorStep = readonly [operation: string, ...args: readonly string[]]

interface Operated {
  readonly data: Readonly<Record<string, unknown>>
  readonly mail?: OutgoingMail
}

/** Only a person at the website, who has a second factor: no key in a script rules over all accounts (decision 0061). */
async function operatorFault({ caller, store }: RequestContext) {
  const isPerson = caller.sessionId !== undefined && caller.apiKeyId === undefined
  if (caller.account.isOperator !== true || !isPerson || !hasFullAccess(caller))
    return faulty('operatorNeeded')
  return (await store.hasFactor(caller.account.id)) ? undefined : faulty('operatorFactorMissing')
}

type StepFault = 'subjectNotFound' | 'operationRefused'
type Steps<F extends StepFault> = () => readonly OperatorStep[] | Malformed | Malformed<F>
type OperatorFaults<F extends StepFault> =
  | Malformed
  | Malformed<'operatorNeeded' | 'operatorFactorMissing'>
  | Malformed<F>

/** Does the operations in their order, in one transaction. The first may be refused, by F, and does nothing then. */
export async function operated<F extends StepFault = never>(
  context: RequestContext,
  stepsOf: Steps<F>,
): Promise<Operated | OperatorFaults<F>> {
  const refusal = await operatorFault(context)
  if (refusal !== undefined) return refusal
  const steps = stepsOf()
  if ('malformed' in steps) return steps
  let all: Operated = { data: {} }
  for (const [operation, ...args] of steps) {
    const asked: OperatorRequest = { operation, args, now: context.now }
    const done = await context.service.operate(context.store, asked)
    if ('fault' in done) return refusalOf(done) as Malformed<F>
    all = { ...all, ...done, data: { ...all.data, ...done.data } }
  }
  return all
}

/** Nobody but the operator could end it then. */
export const ownAccountFault = ({ caller }: RequestContext, name: string) =>
  name === caller.account.name
    ? faulty('operationRefused', { detail: `${name} is your own account: you would lock yourself out` })
    : undefined

const refusalOf = ({ fault: text, isMissing }: { readonly fault: string; readonly isMissing: boolean }) =>
  faulty<StepFault>(isMissing ? 'subjectNotFound' : 'operationRefused', {
    detail: text.replace(/[;,] (see|create|change) .*holdfast admin .*$/, ''),
  })

interface OperatorList {
  readonly step: string
  /** Of the rows in the data of the operation. */
  readonly key: string
}

/** One page of a list of the operator; its rows are as the schema says. */
export const operatorList =
  <N extends SchemaName>({ step, key }: OperatorList) =>
  async (context: RequestContext) => {
    const listing = readListing(context, [])
    if ('malformed' in listing) return listing
    const { page, filter } = listing
    const search = filter.search === undefined ? [] : [`search=${filter.search}`]
    const done = await operated(context, () => [[step, ...search]])
    if ('malformed' in done) return done
    const rows = done.data[key] as readonly (Named<N> & object)[]
    const { items, ...place } = pageOfRows(rows, page, { isAfter: () => true, positionOf: () => [] })
    const result = listResult(context, { page, ...place }, items)
    const cut = done.data['onlyFirst']
    return cut === undefined
      ? result
      : { ...result, warnings: [unexpected(`the list ends after its first ${Number(cut)} rows`)] }
  }

/** With its message, which is sent after the transaction: the result tells whether the mail server took it. */
export function withMail<F extends StepFault>(
  { service }: RequestContext,
  made: Operated | OperatorFaults<F>,
): Success | OperatorFaults<F> {
  if ('malformed' in made) return made
  const { data, mail } = made
  const result = { status: 201 as const, data: { ...data, mailed: mail !== undefined } }
  if (mail === undefined) return result
  const later = async (): Promise<Success> => {
    const unsent = await service.sendMail(mail)
    return unsent === undefined
      ? result
      : {
          ...result,
          data: { ...result.data, mailed: false },
          warnings: [unexpected(`the message to ${mail.to} was not sent: ${unsent}`)],
        }
  }
  return { ...result, later }
}

/** What comes from the store of an operation without anything to show. */
export const finish = async <F extends StepFault>(
  context: RequestContext,
  stepsOf: Steps<F>,
): Promise<Success | OperatorFaults<F>> => {
  const finished = await operated<F>(context, stepsOf)
  return 'malformed' in finished ? finished : { status: 200, data: {} }
}
