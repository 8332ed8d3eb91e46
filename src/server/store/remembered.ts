import type { Held, Login, Principal } from '../model/rows.ts'
import type { CountWriting } from './sqlite-counts.ts'
import type { Reading, Writing } from './store.ts'

/** More names, and more logins, are not remembered at a time: a name is about half a KiB. */
const MOST = 100_000

type Asked = Pick<Reading, 'login' | 'targetsNamed'>
type Tables = Omit<Writing, keyof CountWriting>

export interface Remembered extends Tables {
  /** Somebody else has written, or what was read was taken back. */
  forgetAll(): void
}

/**
 * What every update asks, answered from memory for as long as nothing is written that could change it. Whatever writes
 * forgets everything; an update, which writes all day, forgets the name that it changes.
 */
export function remembering(tables: Tables, questions: readonly string[]): Remembered {
  const logins = new Map<string, Login>()
  const names = new Map<string, readonly Held[]>()
  /** Under which questions a name was the answer. */
  const asked = new Map<number, string[]>()

  const forgetAll = (): void => {
    for (const map of [logins, names, asked]) map.clear()
  }
  const forget = (nameId: number): void => {
    for (const question of asked.get(nameId) ?? []) names.delete(question)
    asked.delete(nameId)
  }
  const room = (size: number): void => {
    if (size >= MOST) forgetAll()
  }
  const known: Asked = {
    async login(username) {
      const login = logins.get(username) ?? (await tables.login(username))
      if (login === undefined || logins.has(username)) return login
      room(logins.size)
      logins.set(username, login)
      return login
    },
    async targetsNamed(who, fqdn) {
      const question = `${subject(who)} ${fqdn}`
      const kept = names.get(question)
      if (kept !== undefined) return kept
      const held = await tables.targetsNamed(who, fqdn)
      // Names that are nobody's are not worth remembering, and there is no end of them.
      if (held.length === 0) return held
      room(names.size)
      names.set(question, held)
      for (const { nameId } of held) asked.set(nameId, [...(asked.get(nameId) ?? []), question])
      return held
    },
  }
  const changing: Pick<Writing, 'setValue' | 'setOnly' | 'setOffline' | 'nextSerial'> = {
    async setValue(target, ...rest) {
      forget(target.nameId)
      return tables.setValue(target, ...rest)
    },
    async setOnly(nameId, ...rest) {
      forget(nameId)
      return tables.setOnly(nameId, ...rest)
    },
    async setOffline(nameId, ...rest) {
      forget(nameId)
      return tables.setOffline(nameId, ...rest)
    },
    nextSerial: tables.nextSerial,
  }
  return { ...forgetful(tables, questions, forgetAll), ...known, ...changing, forgetAll }
}

const subject = ({ kind, id }: Principal): string => `${kind}:${id}`

/** The same, where everything that is no question forgets first: what is added later forgets too. */
function forgetful(tables: Tables, questions: readonly string[], forgetAll: () => void): Tables {
  const entries = Object.entries(tables).map(([name, ask]): [string, unknown] => [
    name,
    questions.includes(name)
      ? ask
      : (...given: readonly unknown[]): unknown => {
          forgetAll()
          return (ask as (...all: readonly unknown[]) => unknown)(...given)
        },
  ])
  return Object.fromEntries(entries) as unknown as Tables
}
