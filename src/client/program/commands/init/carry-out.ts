import { dirname } from 'node:path'
import { type SetupPlan, writeNewFiles } from '../../../setup/new-files.ts'
import { giveToRoot } from '../../../setup/root-folder.ts'
import { type ClientSettingFlags, readSettings, type ResolvedSettings } from '../../../settings/settings.ts'
import { socketIn } from '../../state/single-instance.ts'
import type { Exit } from '../../../../shared/program/exit-codes.ts'
import { isRoot } from '../../../../shared/program/paths.ts'
import { writeError } from '../../../../shared/program/streams.ts'
import type { ConfigDraft } from '../../../setup/draft.ts'
import { maskedConfiguration } from '../../../setup/shown.ts'
import type { InitFlags } from '../flags.ts'
import { recordLines, recordLooks } from '../record-looks.ts'
import { systemPorts } from '../../system.ts'
import { exitResult, fail, print, printJson } from '../../../../shared/program/output.ts'
import type { Start } from '../starts.ts'

/** What the questions, or the flags, decide. */
interface SetupDecision {
  readonly draft: ConfigDraft
  readonly isSending: boolean
  /** What services of records have is read and shown. */
  readonly isReading: boolean
  /** Asked when the first update has succeeded, or may still do so. */
  readonly start: () => Promise<Start>
}

/** Writes the files, checks what was written, and does what was decided. */
export async function carryOut(
  plan: SetupPlan,
  { draft, isSending, isReading, start }: SetupDecision,
  flags: InitFlags,
): Promise<Exit> {
  const { asJson, isDryRun, output } = flags
  for (const remark of plan.remarks) writeError(`holdfast: ${remark}\n`)
  if (isDryRun) {
    const { startLinesOf } = await import('./start-client.ts')
    return showPlan(plan, asJson, startLinesOf(await start(), { config: output, draft }))
  }
  for (const line of await giveToRoot()) writeError(`holdfast: ${line}\n`)
  const written = await writeNewFiles(plan.files)
  if (!written.ok) return fail({ exit: 'configuration', messages: [written.error] }, asJson)
  if (!asJson && plan.files.length === 0)
    print(`${plan.accounts.join(', ')}: nothing to change in ${plan.config}`)
  if (!asJson) print(...plan.files.map(({ path }) => `wrote ${path}`))
  const settings = { layer: {}, configFile: plan.config, accounts: [], ...flags.settings }
  const checked = await readSettings(settings)
  if (!checked.ok) return fail(checked.error, asJson)
  if (!asJson) for (const warning of checked.value.warnings) writeError(`holdfast: ${warning}\n`)
  const isPart = plan.accounts.length > 0 && plan.diff.length > 0
  const own = { ...settings, accounts: isPart ? plan.accounts : [] }
  if (isReading && !isSending && !asJson) print(...recordLines(await recordLooks(own, systemPorts())))
  const sent = isSending ? await sendFirst(own, checked.value, asJson) : 'settled'
  const { startClient } = await import('./start-client.ts')
  // The daemon tries again by itself where the service was not reached, or asks for a wait.
  const isStarted = sent === 'settled' || sent === 'unreached' || sent === 'waiting'
  const chosen = isStarted ? await start() : 'none'
  const begun = await startClient(chosen, { config: output, draft })
  const started = sent === 'settled' ? begun : sent
  if (!isStarted && (flags.start ?? 'none') !== 'none' && !asJson)
    print(
      'the client is not started, because the first update failed; when it works, run holdfast init again',
    )
  if (asJson && !isSending)
    printJson({ exit: exitResult(started), written: plan.files.map(({ path }) => path) })
  if (!asJson && isStarted && begun === 'settled')
    print(
      ...nextLines(output, { isSending, stateDir: checked.value.stateDir }),
      ...(chosen === 'none' ? await startLines(checked.value, output) : []),
    )
  return started
}

const isRunning = async (resolved: ResolvedSettings): Promise<boolean> =>
  (await systemPorts().askControl(socketIn(resolved), { do: 'status' }, CONTROL_TIMEOUT)).kind === 'answered'

/** Without questions, no answer says how to run it. */
async function startLines(
  resolved: ResolvedSettings,
  output: string | undefined,
): Promise<readonly string[]> {
  if (await isRunning(resolved)) return []
  const { hasSystemd } = await import('./start-client.ts')
  const isUsual = output === undefined && (await hasSystemd())
  const command = isUsual ? `service install${isRoot() ? '' : ' --user'}` : `run${configOption(output)}`
  return ['nothing keeps it up to date yet; to do so from now on:', `  holdfast ${command}`]
}

/** A daemon that runs has another configuration, and sends the first update itself when it has read this one. */
async function sendFirst(
  settings: ClientSettingFlags,
  resolved: ResolvedSettings,
  asJson: boolean,
): Promise<Exit> {
  if (await isRunning(resolved)) {
    if (!asJson)
      print('a daemon is running; it sends the first update after a restart: systemctl restart holdfast')
    return 'settled'
  }
  const { updateCommand } = await import('../update.ts')
  return updateCommand({
    settings,
    asJson,
    isForced: false,
    isDryRun: false,
    reply: undefined,
    isQuiet: false,
  })
}

/** In milliseconds. */
const CONTROL_TIMEOUT = 2000

function showPlan(plan: SetupPlan, asJson: boolean, more: readonly string[] = []): Exit {
  const shown = plan.files.map(({ path, text, mode }) => ({
    path,
    mode: mode.toString(8),
    // Every other file is a password.
    text: path === plan.config ? maskedConfiguration(text) : '«secret»\n',
  }))
  if (asJson) printJson({ exit: exitResult('settled', 'nothing was written'), wouldWrite: shown })
  else
    for (const { path, mode, text } of shown)
      print(
        `would write ${path} (mode ${mode}, in ${dirname(path)}):`,
        ...(path === plan.config && plan.diff.length > 0 ? plan.diff : text.trimEnd().split('\n')).map(
          (line) => `  ${line}`,
        ),
      )
  if (!asJson) print(...more)
  return 'settled'
}

const configOption = (output: string | undefined): string =>
  output === undefined ? '' : ` --config ${output}`

function nextLines(
  output: string | undefined,
  { isSending, stateDir }: { readonly isSending: boolean; readonly stateDir: string },
): readonly string[] {
  const config = configOption(output)
  return [
    'next:',
    ...(isSending
      ? []
      : [`  holdfast update${config}      sends the first update, which tests the settings`]),
    `  holdfast status${config}      shows every hostname, any time`,
    `  holdfast explain${config}     says what is wrong, and what to do`,
    `its state is kept in ${stateDir}; for a page in the browser, see page in docs/client.md`,
  ]
}
