import { NotifyMemoryFile } from '../../notify/memory-file.ts'
import { type ClientAccount, type ResolvedSettings, readSettings } from '../../settings/settings.ts'
import { socketIn } from '../state/single-instance.ts'
import type { ControlRequest } from '../../report/control-requests.ts'
import {
  accountsByKey,
  deliveryOf,
  deliveryPorts,
  deliveryTargets,
  newDeliveryId,
  receiversOf,
} from '../../notify/delivery.ts'
import type { Delivery } from '../../notify/receivers/receiver.ts'
import { webhookHost } from '../../notify/receivers/attempt.ts'
import { webhooksOf, webhookTargets } from '../../notify/receivers/webhook.ts'
import { logTo } from '../../../shared/program/log.ts'
import type { Exit } from '../../../shared/program/exit-codes.ts'
import type { Notification } from '../../notify/notification.ts'
import { HOOKS, NOTIFICATION_EVENTS, type NotificationEvent } from '../../settings/notify-settings.ts'
import { fileKeyOf } from '../../../shared/settings/setting.ts'
import { parseAddress } from '../../../shared/base/address.ts'
import { presentStatus } from '../status/status-report.ts'
import { type Trouble, troubleLines } from '../../report/troubles.ts'
import type { NotificationFlags } from './flags.ts'
import { systemPorts } from '../system.ts'
import { exitResult, fail, print, printJson } from '../../../shared/program/output.ts'
import { onStopSignal } from '../../../shared/program/signals.ts'

/** `holdfast notify`: shows the targets of each account, or sends a test to them. */
export async function notifyCommand({
  asJson,
  isTest,
  event,
  settings: flags,
}: NotificationFlags): Promise<Exit> {
  const known = NOTIFICATION_EVENTS.find((one) => one === event)
  if (event !== undefined && known === undefined)
    return fail(
      { exit: 'usage', messages: [`--event ${event} is not one of ${NOTIFICATION_EVENTS.join(', ')}`] },
      asJson,
    )
  const settings = await readSettings(flags, 'names')
  if (!settings.ok) return fail(settings.error, asJson)
  const log = await logTo(settings.value.config.logLevel, asJson)
  for (const warning of settings.value.warnings) log('warn', warning)
  const all = accountsByKey(settings.value.accounts)
  if (isTest) return test(all, known, { asJson, settings: settings.value })
  const { troubles = [] } = await presentStatus(settings.value, systemPorts())
  const failing = troubles.filter(({ kind }) => kind === 'delivery')
  return printTargets(all, failing, asJson)
}

function printTargets(
  all: ReadonlyMap<string, ClientAccount>,
  failing: readonly Trouble[],
  asJson: boolean,
): Exit {
  const accounts = [...all].map(([account, settings]) => ({
    account,
    targets: targetsOf(settings),
  }))
  if (asJson) printJson({ accounts, failing })
  else {
    for (const { account, targets } of accounts)
      print(
        `${account}:`,
        ...(targets.length === 0
          ? [
              '  no notifications are set up; see on_change, webhook, mail_to and health_url in docs/settings.md',
            ]
          : targets.map((one) => `  ${one}`)),
      )
    print(...troubleLines(failing))
  }
  return 'settled'
}

function targetsOf(account: ClientAccount): readonly string[] {
  const { webhookEvents, mailTo, mailEvents, healthUrl } = account
  const webhooks = webhookTargets(account)
  return [
    ...HOOKS.flatMap((key) =>
      account[key] === undefined ? [] : [`${fileKeyOf(key)}: ${account[key].join(' ')}`],
    ),
    ...webhooks.map((target, at) =>
      webhooks.length === 1
        ? `${target} (${webhooksOf(account)[at]?.format}): ${webhookEvents.join(', ')}`
        : `${target}: ${webhookEvents.join(', ')}`,
    ),
    ...(mailTo === undefined ? [] : [`mail to ${mailTo.join(', ')}: ${mailEvents.join(', ')}`]),
    ...(healthUrl === undefined ? [] : [`health_url at ${webhookHost(healthUrl)}`]),
  ]
}

/** Documentation addresses (RFC 5737, RFC 3849). */
const SAMPLE = { v4: parseAddress('192.0.2.1'), v6: parseAddress('2001:db8::1') }

const sampleOf = (event: NotificationEvent, account: string, settings: ClientAccount): Notification => ({
  event,
  account,
  name: settings.name ?? null,
  hostnames: settings.hostnames,
  addresses: {
    ...(SAMPLE.v4 !== undefined && { v4: SAMPLE.v4 }),
    ...(SAMPLE.v6 !== undefined && { v6: SAMPLE.v6 }),
  },
  before: {},
  because: 'this is a test',
  remedy: null,
  since: null,
  times: 1,
  isTest: true,
})

interface TestResult {
  readonly account: string
  readonly event: NotificationEvent
  readonly target: string
  readonly problem: string | null
}

/** Without an event: one for each program, and the first of them for webhook and health check. */
const ALL_HOOKS = [
  'changed',
  'stopped',
  'recovered',
  'unreached',
] as const satisfies readonly NotificationEvent[]

interface Test {
  readonly account: string
  readonly event: NotificationEvent
  readonly delivery: Delivery
}

/** The tests of an account: each of its targets once. */
function testsOf(
  named: NotificationEvent | undefined,
  account: string,
  settings: ClientAccount,
): readonly Test[] {
  const wanted = { ...settings, webhookEvents: NOTIFICATION_EVENTS, mailEvents: NOTIFICATION_EVENTS }
  const system = systemPorts()
  const ports = deliveryPorts(system)
  const events = named === undefined ? ALL_HOOKS : [named]
  return events.flatMap((event, at) => {
    const notification = sampleOf(event, account, settings)
    const targets = deliveryTargets(notification, wanted)
    return targets.flatMap((target) => {
      if (at > 0 && target !== 'hook') return []
      return receiversOf(target, wanted).flatMap((to) => {
        const id = newDeliveryId(system.entropy)
        const pending = { id, target, ...(to !== undefined && { to }), notification, at: ports.now() }
        const delivery = deliveryOf(pending, wanted, ports)
        return delivery === undefined ? [] : [{ account, event, delivery }]
      })
    })
  })
}

async function test(
  all: ReadonlyMap<string, ClientAccount>,
  named: NotificationEvent | undefined,
  { asJson, settings }: { readonly asJson: boolean; readonly settings: ResolvedSettings },
): Promise<Exit> {
  const stopping = new AbortController()
  const release = onStopSignal(() => stopping.abort())
  const results: TestResult[] = []
  const tests = [...all].flatMap(([key, one]) => testsOf(named, key, one))
  const delivered: string[] = []
  for (const { account, event, delivery } of tests) {
    const result = await delivery.attempt(stopping.signal)
    if (result.ok) delivered.push(delivery.queue)
    results.push({
      account,
      event,
      target: delivery.target,
      problem: result.ok ? null : result.error.because,
    })
  }
  release()
  await tellDaemon(settings, delivered)
  return report(results, named, asJson)
}

/** Its failures of these receivers are over; without a daemon, its file says so. */
async function tellDaemon(settings: ResolvedSettings, receivers: readonly string[]): Promise<void> {
  const { askControl, files } = systemPorts()
  const request: ControlRequest = { do: 'recovered', receivers }
  const asked = await askControl(socketIn(settings), request, CONTROL_TIMEOUT)
  if (asked.kind !== 'unreachable') return
  const file = new NotifyMemoryFile(settings.stateFolders, { files, log: () => undefined })
  const memory = await file.load()
  const failing = memory.failing.filter(({ receiver }) => !receivers.includes(receiver))
  if (failing.length < memory.failing.length) await file.save({ ...memory, failing })
}

/** In milliseconds. */
const CONTROL_TIMEOUT = 2000

function report(results: readonly TestResult[], named: NotificationEvent | undefined, asJson: boolean): Exit {
  const exit =
    results.length === 0
      ? 'configuration'
      : results.every(({ problem }) => problem === null)
        ? 'settled'
        : 'unreached'
  const meaning =
    exit === 'unreached'
      ? 'not every test was delivered'
      : exit === 'configuration'
        ? `no account sends notifications${named === undefined ? '' : ` about ${named}`}; docs/notify.md shows how`
        : undefined
  if (asJson) printJson({ exit: exitResult(exit, meaning), results })
  else if (results.length === 0) return fail({ exit, messages: [meaning ?? ''] }, false)
  else
    print(
      ...results.map(
        ({ account, event, target, problem }) =>
          `${account}: ${target} (${event}): ${problem ?? 'delivered'}`,
      ),
    )
  return exit
}
