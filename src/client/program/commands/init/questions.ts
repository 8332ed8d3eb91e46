import { basename } from 'node:path'
import { systemPorts } from '../../system.ts'
import { serviceProblem, statesOfNames } from './first-look.ts'
import { importContext, oldClientFiles } from '../../../setup/import-source.ts'
import type { SetupPaths } from '../../../setup/paths.ts'
import { setupPlan } from '../../../setup/plan.ts'
import type { SetupPlan } from '../../../setup/new-files.ts'
import type { Exit } from '../../../../shared/program/exit-codes.ts'
import { isRoot } from '../../../../shared/program/paths.ts'
import { formatOf, readImport } from '../../../setup/migration/import.ts'
import { type MergedImport, mergeImport } from '../../../setup/migration/merge/merge.ts'
import type { Conclusion } from '../../../detect/survey.ts'
import type { SetupAnswers } from '../../../setup/answers.ts'
import type { ConfigDraft, DraftSettings } from '../../../setup/draft.ts'
import { clearTextRemarks, maskedConfiguration } from '../../../setup/shown.ts'
import { providerCalled, presetServer } from '../../../services/providers/providers.ts'
import type { Addresses } from '../../../../shared/base/address.ts'
import { readNamedFile } from '../../../../shared/platform/files/named-file.ts'
import type { InitFlags } from '../flags.ts'
import { askForAccount, askForHostnames, askForPassword, askForUsername, lookOnce } from './account.ts'
import { carryOut } from './carry-out.ts'
import { askForRepair } from './repair.ts'
import { hasSystemd } from './start-client.ts'
import { fail, print } from '../../../../shared/program/output.ts'
import { Cancelled, type Prompts } from './prompts.ts'
import { STARTS, type Start } from '../starts.ts'

/** Asks for what the flags do not give, and carries it out. Until the plan is agreed to, nothing is written. */
export async function askForSetup(given: SetupAnswers, paths: SetupPaths, flags: InitFlags): Promise<Exit> {
  // A terminal that cannot move the cursor or has no size, and screen readers, get one line after the other.
  if (process.env['TERM'] !== 'dumb' && process.stdout.columns > 0) {
    const { clackPrompts } = await import('./clack-prompts.ts')
    return ask(clackPrompts, given, { paths, flags })
  }
  // Else node:readline wipes the line of each question.
  process.env['TERM'] = 'dumb'
  const { PlainPrompts } = await import('./plain-prompts.ts')
  const prompts = new PlainPrompts()
  return ask(prompts, given, { paths, flags }).finally(() => prompts.close())
}

interface AskContext {
  readonly paths: SetupPaths
  readonly flags: InitFlags
}

async function ask(prompts: Prompts, answers: SetupAnswers, { paths, flags }: AskContext): Promise<Exit> {
  const repair = await askForRepair(prompts, paths, flags.isDryRun)
  if (!repair.ok) return fail({ exit: 'configuration', messages: [repair.error] }, false)
  const isGiven = answers.provider !== undefined || answers.server !== undefined
  if (repair.value === 'not written') {
    prompts.end('Nothing is written.')
    return 'settled'
  }
  if (repair.value === 'mended' && !isGiven && !(await prompts.confirm('Set up an account too?', false))) {
    prompts.end('Done with questions.')
    print(`wrote ${paths.config}; a daemon that runs reads it with: holdfast reload`)
    return 'settled'
  }
  const imported =
    answers.provider === undefined && answers.server === undefined ? await askForImport(prompts) : undefined
  const draft = imported ?? (await askForAccount(prompts, answers))
  const seen = flags.isLooking === false ? [] : await lookOnce(prompts)
  const { isCurrent } = await lookAtNames(prompts, draft, seen)
  const plan = await setupPlan(draft, paths)
  if (!plan.ok) return fail({ exit: 'configuration', messages: [plan.error] }, false)
  showPlan(prompts, plan.value)
  const isSending = await askForWriting(prompts, flags, isCurrent)
  const isReading = !isSending && !flags.isDryRun && flags.isLooking !== false && hasRecordService(draft)
  const start = async (): Promise<Start> => {
    const given = STARTS.find((one) => one === flags.start)
    const chosen = given ?? (flags.isDryRun ? 'none' : await askForStart(prompts))
    prompts.end('Done with questions.')
    return chosen
  }
  return carryOut(plan.value, { draft, isSending, isReading, start }, flags)
}

/** A file that cannot be read sets nothing. */
async function readOldClient(path: string): Promise<MergedImport & { readonly path: string }> {
  const [text, context] = [await readNamedFile(path, 4 * 1024 * 1024), importContext(path)]
  const read = text.ok ? readImport(text.value, formatOf(text.value, path), context) : text
  return read.ok
    ? { path, ...mergeImport(read.value, context) }
    : { path, draft: { settings: {}, accounts: [] }, remarks: [] }
}

/** The settings of another client on this host. */
async function askForImport(prompts: Prompts): Promise<ConfigDraft | undefined> {
  const files = await Promise.all((await oldClientFiles()).map(readOldClient))
  // A file that comes with a package has only comments.
  const [found] = files.filter(({ draft, remarks }) => draft.accounts.length + remarks.length > 0)
  if (found === undefined) return undefined
  const { path, draft, remarks } = found
  if (!(await prompts.confirm(`Another client is set up here (${path}). Take over its settings?`, true)))
    return undefined
  prompts.note('Taken over', [
    `from ${path}`,
    ...draft.accounts.map(
      ({ name, settings }) => `account ${name}: ${[settings['hostnames'] ?? []].flat().join(', ')}`,
    ),
    ...remarks
      .filter(({ kind }) => kind !== 'dropped')
      .map(({ kind, place, text: remark }) => `line ${place.line}: ${kind}: ${remark}`),
  ])
  if (draft.accounts.length === 0) {
    prompts.note('A new account', [
      `${path} contains no account that can be taken over; these questions create one.`,
    ])
    return undefined
  }
  const accounts = []
  for (const account of draft.accounts) {
    const { username, hostnames } = account.settings
    const names = Array.isArray(hostnames) ? hostnames : await askForHostnames(prompts, {})
    const login = typeof username === 'string' ? username : await askForUsername(prompts, undefined)
    const password = account.password ?? (await askForPassword(prompts, undefined))
    accounts.push({
      ...account,
      password,
      comments: [],
      settings: { ...account.settings, username: login, hostnames: names },
    })
  }
  return { ...draft, accounts }
}

const hasRecordService = ({ accounts }: ConfigDraft): boolean =>
  accounts.some(({ settings }) => providerCalled(String(settings['provider']))?.protocol !== undefined)

const NAME_TEXTS = {
  current: 'has this address already',
  different: 'has another address now',
  missing: 'is not in the DNS yet; some services require you to create it on their website first',
  unknown: 'could not be looked up',
} as const

/** What the DNS says about the hostnames now, and whether the service can be reached. No update is sent. */
async function lookAtNames(
  prompts: Prompts,
  { accounts }: ConfigDraft,
  seen: readonly Conclusion[],
): Promise<{ readonly isCurrent: boolean }> {
  const addresses: Addresses = Object.fromEntries(
    seen.flatMap(({ family, address }) => (address === null ? [] : [[family, address]])),
  )
  const names = accounts.flatMap(({ settings }) =>
    Array.isArray(settings['hostnames']) ? settings['hostnames'] : [],
  )
  const states =
    Object.keys(addresses).length === 0
      ? new Map()
      : await prompts.busy('Asking the name servers', statesOfNames(names, addresses, systemPorts()))
  const problems = await Promise.all(accounts.map(async ({ settings }) => reachability(settings)))
  const lines = [
    ...[...states].map(([name, state]: [string, keyof typeof NAME_TEXTS]) => `${name} ${NAME_TEXTS[state]}`),
    ...problems.flat(),
  ]
  if (lines.length > 0) prompts.note('Before anything is sent', lines)
  return { isCurrent: states.size > 0 && [...states.values()].every((state) => state === 'current') }
}

async function reachability(settings: DraftSettings): Promise<readonly string[]> {
  const { provider, server } = settings
  const preset = typeof provider === 'string' ? presetServer(providerCalled(provider)) : undefined
  const origin = typeof server === 'string' ? server : preset
  // A name server is no web server.
  if (origin === undefined || origin.startsWith('dns:')) return []
  const problem = await serviceProblem(origin)
  const { host } = new URL(origin)
  return [
    problem === undefined ? `${host} can be reached` : `${host} cannot be reached: ${problem}`,
    ...clearTextRemarks([settings]),
  ]
}

function showPlan(prompts: Prompts, { files, config, diff }: SetupPlan): void {
  if (files.length === 0) return prompts.note('Nothing changes', [`${config} already contains all of this`])
  const text = files.find(({ path }) => path === config)?.text ?? ''
  prompts.note(
    diff.length > 0 ? 'Changes' : 'The configuration',
    diff.length > 0
      ? [`of ${config}; the old one is saved as ${basename(config)}.bak`, ...diff]
      : [config, '', ...maskedConfiguration(text).trimEnd().split('\n')],
  )
  const others = files.filter(({ path }) => path !== config)
  if (others.length > 0)
    prompts.note(
      'Passwords, in files of their owner',
      others.map(({ path }) => path),
    )
}

/** Whether the first update is sent, which tests the settings. */
async function askForWriting(prompts: Prompts, flags: InitFlags, isCurrent: boolean): Promise<boolean> {
  if (flags.isSending || flags.isDryRun) {
    if (!(await prompts.confirm('Write this?', true))) throw new Cancelled()
    return flags.isSending
  }
  const answer = await prompts.choose<'test' | 'write' | 'leave'>({
    message: isCurrent
      ? 'Write this? The names have this address already, so an update would change nothing'
      : 'Write this?',
    choices: [
      { value: 'test', label: 'yes, and send the first update, which tests it' },
      { value: 'write', label: 'yes, and send nothing now' },
      { value: 'leave', label: 'no' },
    ],
    initial: isCurrent ? 'write' : 'test',
  })
  if (answer === 'leave') throw new Cancelled()
  return answer === 'test'
}

async function askForStart(prompts: Prompts): Promise<Start> {
  const isSystemd = await hasSystemd()
  const who = isRoot() ? 'as a system service' : 'as a service for this user'
  return prompts.choose<Start>({
    message: 'How should Holdfast run from now on?',
    choices: [
      ...(isSystemd ? [{ value: 'systemd' as const, label: `systemd, ${who}` }] : []),
      { value: 'cron', label: 'cron: print the line' },
      { value: 'openwrt', label: 'OpenWrt: print the steps' },
      { value: 'container', label: 'container: print its variables' },
      { value: 'none', label: 'not now' },
    ],
    initial: isSystemd ? 'systemd' : 'none',
  })
}
