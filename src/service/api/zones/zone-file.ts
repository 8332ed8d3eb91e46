import { linesOfOctets, type MasterFault } from '../../model/master-file/entries.ts'
import { inFileOrder, masterFileHead, masterLines, type NameLines } from '../../model/master-file/format.ts'
import { type MasterRecord, masterRecords } from '../../model/master-file/records.ts'
import type { Name, Zone } from '../../model/tree.ts'
import type { NamesOf, RecordReads } from '../../store/records.ts'

/** Read together. */
const PAGE = 100
/** Lines, records or names between two pauses: a few milliseconds. */
const ITEMS = 100

/** Lets others go on, in the middle of long work. */
export type Pause = () => Promise<void>
const AT_ONCE: Pause = async () => undefined

/** Works on each item. Others go on now and then. */
export async function withPauses<T>(
  items: Iterable<T>,
  pause: Pause = AT_ONCE,
  work: (item: T) => void | Promise<void>,
): Promise<void> {
  let done = 0
  for (const item of items) {
    await work(item)
    if (++done % ITEMS === 0) await pause()
  }
}

/** Every name of a zone or of an account, with everything at it, some at a time. */
async function* pagesOf(
  r: Pick<RecordReads, 'namesAfter'>,
  of: NamesOf,
  pause: Pause = AT_ONCE,
): AsyncGenerator<readonly Name[]> {
  for (let last = 0; ; ) {
    const page = await r.namesAfter(of, last, PAGE)
    if (page.length > 0) yield page
    if (page.length < PAGE) return
    last = page.at(-1)?.id ?? last
    await pause()
  }
}

/** All of them. */
export async function allNames(
  r: Pick<RecordReads, 'namesAfter'>,
  of: NamesOf,
  pause: Pause = AT_ONCE,
): Promise<readonly Name[]> {
  const names: Name[] = []
  for await (const page of pagesOf(r, of, pause)) names.push(...page)
  return names
}

/** The lines of the zone as a master file. Of its names only this text is held. */
export async function zoneFileLines(
  r: Pick<RecordReads, 'namesAfter'>,
  { zone, nameservers }: { readonly zone: Zone; readonly nameservers: readonly string[] },
  pause: Pause = AT_ONCE,
): Promise<readonly string[]> {
  const names: NameLines[] = []
  for await (const page of pagesOf(r, { zoneId: zone.id }, pause))
    names.push(...page.map(({ name, rrsets }) => ({ name, lines: masterLines({ name, rrsets }) })))
  return [...masterFileHead(zone, nameservers), ...inFileOrder(names)]
}

/** What a master file says. */
export interface ZoneFile {
  readonly records: readonly MasterRecord[]
  /** By line. */
  readonly faults: readonly MasterFault[]
}

/** Reads a master file for a zone from the parts in which it came, without making one text of them. */
export async function readZoneFile(
  parts: readonly Uint8Array[],
  zone: string,
  pause: Pause,
): Promise<ZoneFile> {
  const records: MasterRecord[] = []
  const faults: MasterFault[] = []
  await withPauses(readable(masterRecords(linesOfOctets(parts), zone), faults), pause, (one) => {
    if (one !== undefined) records.push(one)
  })
  return { records, faults: faults.toSorted((a, b) => a.line - b.line) }
}

/** Bounds the memory of a file that is no zone file. */
const MAX_FAULTS = 1000

/** Ends the reading where there are too many faults. */
function* readable(
  read: Iterable<MasterRecord | MasterFault | undefined>,
  faults: MasterFault[],
): Generator<MasterRecord | undefined> {
  for (const one of read) {
    if (one === undefined || !('refused' in one)) {
      yield one
      continue
    }
    faults.push(one)
    if (faults.length === MAX_FAULTS) return
    yield undefined
  }
}
