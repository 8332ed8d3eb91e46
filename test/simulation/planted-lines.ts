import { world } from './mended.ts'
import type { PlantedFault } from './planted.ts'

const ROWS = 'client/detect/line/decide-line.ts'
const READ = 'client/detect/line/read-line.ts'
const WATCH = 'client/detect/line/line-watch.ts'
/** Many moves, and one in the end whose time is judged. */
const MOVES = '--only move --often 30'
const FEW = '--only change --hours 0.1'
const MINUTE = 60_000
/** A VPN hides that the first line has no carrier; when it ends, the second line is in use for hours. */
const FAILED_UNDER_VPN = world({ backup: true }, 40 * MINUTE, [
  { kind: 'vpn', at: 10 * MINUTE, span: 20 * MINUTE, step: 0 },
  { kind: 'failover', at: 20 * MINUTE, span: 240 * MINUTE },
])

/** A row of the table that never holds. */
const withoutRow = (
  name: string,
  when: string,
  fault: Pick<PlantedFault, 'rule' | 'flags' | 'isRare'>,
): PlantedFault => ({
  what: `no row: ${name}`,
  file: ROWS,
  from: when,
  to: '() => false',
  ...fault,
})

/**
 * Mistakes in which line is the one of the home. Of the rows, `first line, over another` is in `planted.ts`. Only cases of
 * units show `nothing to protect`, because nothing happens before the first address is published, and `nothing else may
 * carry it`, which delays a message by three seconds.
 */
export const PLANTED_LINES: readonly PlantedFault[] = [
  withoutRow('chosen by the user', "({ rule }) => rule === 'follow'", {
    rule: 'L5',
    flags: `${FEW} --seed 104`,
  }),
  {
    what: 'no row: first line',
    rule: 'L2',
    file: ROWS,
    from: 'when: isNew,',
    to: 'when: () => false,',
    flags: `--world ${JSON.stringify(FAILED_UNDER_VPN)}`,
  },
  {
    what: 'no row: old line answers again',
    rule: 'S1',
    file: ROWS,
    from: 'when: isBackAgain,',
    to: 'when: () => false,',
    flags: MOVES,
  },
  {
    what: 'no row: old line alive',
    rule: 'S1',
    file: ROWS,
    from: "outcome = 'hold' } = rows.find(",
    to: "outcome = 'adopt' } = rows.slice(0, -1).find(",
    flags: MOVES,
  },
  {
    what: 'without a way out, the home line is forgotten',
    rule: 'S1',
    file: ROWS,
    from: 'if (use === undefined) return { state,',
    to: 'if (use === undefined) return { state: NO_LINE,',
    flags: MOVES,
  },
  withoutRow('same line', '({ use, state: { home } }) => home !== undefined && isSameLine(use, home)', {
    rule: 'L1',
    flags: FEW,
  }),
  withoutRow('back to a known line', '(v) => !isOver(v) && isKnown(v)', {
    rule: 'L6',
    flags: FEW,
  }),
  withoutRow('own public address', '(v) => !isOver(v) && isOwn(v)', {
    rule: 'L5',
    flags: `${FEW} --seed 408`,
  }),
  withoutRow('old line dead, over another', '(v) => isOver(v) && isDead(v) && !v.use.isGlobal', {
    rule: 'T11',
    flags: MOVES,
  }),
  {
    what: 'no row: old line dead',
    rule: 'L5',
    file: ROWS,
    from: 'when: isDead,',
    to: 'when: () => false,',
    flags: FEW,
  },
  {
    what: 'a tunnel that is carried after all stays the line',
    rule: 'S1',
    file: ROWS,
    from: ' || (!isNew(view) && isOver(view) && !use.isGlobal)',
    to: '',
    flags: '--only move,vpn --often 30',
  },
  withoutRow('its router has the address', '(v) => !isOver(v) && v.use.hasWord === true', {
    rule: 'L5',
    flags: `${FEW} --seed 804`,
  }),
  withoutRow('nothing else carries it', "(v) => !isOver(v) && isBare(v) && v.lasts('route')", {
    rule: 'L5',
    flags: FEW,
  }),
  {
    what: 'what is hidden by a rule or by halves carries nothing',
    rule: 'T11',
    file: READ,
    from: 'const isBetter = own === undefined ||',
    to: 'const isBetter = own !== undefined &&',
    flags: MOVES,
  },
  {
    what: 'a route to one host says nothing of what is beneath',
    rule: 'S1',
    file: READ,
    from: '(isBetter ? main : undefined) ?? host',
    to: '(isBetter ? main : undefined)',
    flags: MOVES,
  },
  {
    what: 'a policy of IPsec is the line itself',
    rule: 'S1',
    file: READ,
    from: '    isForeign,\n    isTunnel,',
    to: '    isForeign: false,\n    isTunnel,',
    flags: MOVES,
  },
  {
    what: 'the MAC address of the gateway is ignored',
    rule: 'L6',
    file: 'client/detect/line/line.ts',
    from: 'return isNear && use.mac !== undefined && use.mac === home.mac',
    to: 'return false',
    flags: `${FEW} --seed 270`,
  },
  {
    what: 'all gateways have one MAC address',
    rule: 'S1',
    file: 'client/detect/line/line.ts',
    from: 'return isNear && use.mac !== undefined && use.mac === home.mac',
    to: 'return use.mac !== undefined',
    flags: MOVES,
  },
  {
    what: 'a sign counts at once',
    rule: 'S1',
    file: ROWS,
    from: 'since[sign] !== undefined && !isBefore(seenAt(sign, event), after(since[sign], LASTS[sign]))',
    to: 'since[sign] !== undefined',
    flags: MOVES,
  },
  {
    what: 'a reading between two questions is a later sign',
    rule: 'S1',
    file: ROWS,
    from: "sign === 'route' ? at : (home?.asked ?? at)",
    to: "sign === 'route' ? at : (home === undefined ? at : at)",
    isRare: true,
  },
  {
    what: 'a gateway that never answered is silent',
    rule: 'S1',
    file: WATCH,
    from: "isThere === false && this.#heard.has('gateway')",
    to: 'isThere === false',
    flags: MOVES,
  },
  {
    what: 'a provider that drops pings is dead',
    rule: 'S1',
    file: WATCH,
    from: " && this.#heard.has('beyond')",
    to: '',
    flags: MOVES,
  },
  {
    what: 'a sign that pauses goes on',
    rule: 'S1',
    file: ROWS,
    from: 'return Object.fromEntries(seen.map((sign) => [sign, begun(sign) ?? seenAt(sign, event)]))',
    to: 'return { ...since, ...Object.fromEntries(seen.map((sign) => [sign, begun(sign) ?? seenAt(sign, event)])) }',
    flags: MOVES,
  },
  {
    what: 'lines that were left are forgotten',
    rule: 'L6',
    file: ROWS,
    from: '(isPublished && view.isAgreed !== false) || isEqual ? knownWith(state) : state.known',
    to: 'state.known',
    flags: FEW,
  },
  {
    what: 'kernel events compare interfaces only',
    rule: 'L6',
    file: 'client/detect/watch/kernel.ts',
    from: 'return JSON.stringify([sorted, ways])',
    to: 'return JSON.stringify([sorted, ways.length])',
    flags: `${FEW} --seed 90`,
  },
  {
    what: 'what was foreign beside the line before is foreign for good',
    rule: 'L5',
    file: 'client/detect/uplink.ts',
    from: '[foreign, isProven] = [undefined, false]',
    to: 'isProven = false',
    flags: FEW,
  },
  {
    what: 'the router of one line is believed because that of another one was right',
    rule: 'S1',
    file: 'client/detect/uplink.ts',
    from: '[foreign, isProven] = [undefined, false]',
    to: 'foreign = undefined',
    flags: '--only move,vpn --router other --often 30',
  },
  {
    what: 'the addresses of the line that is held count',
    rule: 'S1',
    file: WATCH,
    from: "  if (verdict.kind !== 'held') return false",
    to: "  if (verdict.kind !== 'open') return false",
    flags: MOVES,
  },
  {
    what: 'the address of a third line counts while another one is held',
    rule: 'S1',
    file: WATCH,
    from: 'return name !== home.interface\n',
    to: 'return name === use.interface\n',
    flags: '--only move,vpn --router answers --often 30',
  },
  {
    what: 'watchers ask the gateway of the line before',
    rule: 'L1',
    file: 'client/detect/detection.ts',
    from: '    await v4.reread()\n    return v4.gateway()',
    to: '    return v4.gateway()',
    isRare: true,
  },
  {
    what: 'the line that was left is not asked before an address of the new one is published',
    rule: 'S1',
    file: 'client/detect/family-detector.ts',
    from: "if (agreement.kind === 'agreed') await this.#options.beforeRecord?.(this.#family)\n",
    to: '',
    isRare: true,
  },
  {
    what: 'a line that was dead under a VPN stays forgotten when it answers again',
    rule: 'S1',
    file: ROWS,
    from: 'return isBack === true || (!isNew(view)',
    to: 'return (isBack === true && !isNew(view)) || (!isNew(view)',
    isRare: true,
  },
  {
    what: 'a line that was left by the word of its router is not asked again',
    rule: 'S1',
    file: 'client/detect/line/line-watch.ts',
    from: "return (await this.#wordOf(left, soon)) === 'address'",
    to: 'return soon.aborted',
    isRare: true,
  },
  {
    what: 'a verdict that is read between two rounds asks for none',
    rule: 'L5',
    file: WATCH,
    from: 'if (this.#judged !== undefined && kind !== this.#judged) {',
    to: 'if (reading.verdict.kind !== kind) {',
    isRare: true,
  },
  {
    what: 'a line without a route is left, whatever carries the traffic meanwhile',
    rule: 'S1',
    file: ROWS,
    from: "sign === 'route' && isOther ? undefined : since[sign]",
    to: 'isOther ? since[sign] : since[sign]',
    isRare: true,
  },
  {
    what: 'a line that was left answers while it is in use',
    rule: 'T11',
    file: ROWS,
    from: 'if (state.left === undefined || isSameLine(use, state.left)) return false',
    to: 'if (state.left === undefined) return false',
    isRare: true,
  },
  {
    what: 'what answered on a line that was lost counts for the next one',
    rule: 'S1',
    file: WATCH,
    from: 'if (isLost || isOther || isKnownBefore) [',
    to: 'if (isOther || isKnownBefore) [',
    isRare: true,
  },
  {
    what: 'the last look of a burst waits for both families',
    rule: 'L5',
    file: 'client/agent/look.ts',
    from: '(await wholeOrOvertaken(agent, queries)) ===',
    to: '(mayBeOvertaken ? await wholeOrOvertaken(agent, queries) : await queriesDone(agent, queries)) ===',
    isRare: true,
  },
  {
    what: 'a line that is gone was the only one of this host',
    rule: 'S1',
    file: ROWS,
    from: 'when: isBeside,',
    to: 'when: () => false,',
    isRare: true,
  },
]
