import { Secret } from '../../../shared/base/secret.ts'
import type { UpdateRequest } from '../../../shared/protocol/request.ts'
import { notUnderstood } from './answers.ts'
import type { BodyValue } from './bodies.ts'
import { memberList, memberText } from './json.ts'
import type { ServiceAccount, ServiceAnswer, Step, StepOutcome, UpdateProtocol } from './protocol.ts'
import {
  changed,
  current,
  type FoundRecord,
  foundText,
  labelWithin,
  ownZone,
  planOf,
  withFound,
} from './records.ts'
import { type RestCall, type RestService, restStep } from './rest.ts'

const PATH = '/run/webservice/servers/endpoint.php?JSON'

/**
 * By `statuscode` (helpcenter.netcup.com/en/wiki/general/our-api). 4013 says that a field is wrong, and so does a wrong key
 * or too many requests: it is 911, but for a domain of a form that the service does not know.
 */
// biome-ignore format: a table
export const NETCUP_REFUSALS = {
  4001: '911', 4013: '911', 'domainname': 'no-zone', 5028: 'no-zone', 5029: 'no-zone', 4011: 'badauth',
} as const

const service: RestService = {
  headers: {},
  isSuccess: (document) => memberText(document, 'status') === 'success',
  codesIn: (document) => [
    ...(/field (domainname)/.exec(memberText(document, 'longmessage') ?? '')?.slice(1) ?? []),
    memberText(document, 'statuscode') ?? '',
  ],
  refusals: NETCUP_REFUSALS,
}

/** A session for each update: login, all records of the zone, the change of both families, logout. */
export const netcup = (
  account: ServiceAccount,
  registered: (hostname: string) => string | undefined,
): UpdateProtocol => ({
  begin: ({ request }) => new NetcupUpdate(account, request, registered).begin(),
})

class NetcupUpdate {
  readonly #account: ServiceAccount
  readonly #request: UpdateRequest
  readonly #zone: string
  readonly #label: string
  readonly #step: (call: RestCall) => Step
  #session: Secret | undefined

  constructor(
    account: ServiceAccount,
    request: UpdateRequest,
    registered: (hostname: string) => string | undefined,
  ) {
    const [hostname = ''] = request.hostnames
    this.#account = account
    this.#request = request
    this.#zone = ownZone(account, hostname) ?? registered(hostname.replace(/^\*\./, '')) ?? hostname
    this.#label = labelWithin(hostname, this.#zone) || '@'
    this.#step = restStep(account, service, request)
  }

  begin(): Step {
    const read = (document: unknown): Step => {
      this.#session = new Secret(memberText(document, 'responsedata', 'apisessionid') ?? '')
      return this.#find()
    }
    return this.#call('login', { apipassword: this.#account.password }, { read })
  }

  #call(
    action: string,
    given: { readonly [member: string]: BodyValue },
    reading: Pick<RestCall, 'read' | 'missing'>,
  ): Step {
    const { username: customernumber, apiKey: apikey } = this.#account
    const param = { customernumber, apikey, apisessionid: this.#session, ...given }
    const step = this.#step({ method: 'POST', path: PATH, body: { action, param }, ...reading })
    return { ...step, ...(this.#session !== undefined && { secrets: [this.#session] }) }
  }

  #find(): Step {
    const read = (document: unknown, answer: ServiceAnswer): Step | StepOutcome => {
      const records = memberList(document, 'responsedata', 'dnsrecords')
        ?.filter((one) => memberText(one, 'hostname') === this.#label)
        .map((one) => ({
          id: memberText(one, 'id') ?? '',
          type: memberText(one, 'type') ?? '',
          value: memberText(one, 'destination') ?? '',
        }))
      return records === undefined ? notUnderstood(answer) : this.#planned(records)
    }
    const missing = (_: ServiceAnswer, document: unknown): Step | undefined =>
      /contain any DNS records/.test(memberText(document, 'longmessage') ?? '')
        ? this.#planned([])
        : undefined
    return this.#call('infoDnsRecords', { domainname: this.#zone }, { read, missing })
  }

  #planned(records: readonly FoundRecord[]): Step {
    const plan = planOf(this.#request, records, this.#account)
    const found = foundText(this.#request.hostnames[0] ?? '', this.#zone, records)
    if (plan.kind !== 'write')
      return this.#leave(withFound(plan.kind === 'refused' ? plan.outcome : current(this.#request), found))
    const dnsrecords = plan.changes.map(({ type, address: destination, replaced }) => ({
      id: replaced?.id,
      hostname: this.#label,
      type,
      destination,
    }))
    const change = { domainname: this.#zone, dnsrecordset: { dnsrecords } }
    const read = (): Step => this.#leave(changed(this.#request))
    return { ...this.#call('updateDnsRecords', change, { read }), found }
  }

  /** The outcome is known before the logout, so the answer to it is ignored. */
  #leave(outcome: StepOutcome): Step {
    return { ...this.#call('logout', {}, { read: () => outcome }), read: () => outcome }
  }
}
