/** Where credentials are used: `/nic/update`, `/v1` with the endpoints of httpreq, UPDATE messages, and the website. */
export const DOORS = ['update', 'api', 'dns', 'website'] as const
export type Door = (typeof DOORS)[number]

/** `keySession`: a session at the website that began with an API key; `session`: with a password or a passkey. */
export const CREDENTIALS = ['password', 'ddnsKey', 'apiKey', 'tsigKey', 'session', 'keySession'] as const
export type Credential = (typeof CREDENTIALS)[number]

/** What is known of a credential and its account. What is left out is not so. */
export interface DoorState {
  /** Of an API key or a TSIG key. */
  readonly isExpired?: boolean
  /** The account has a second factor, or its plan demands one. */
  readonly needsFactor?: boolean
  /** Of a session: the second factor was not given yet. */
  readonly isHalf?: boolean
  /** Of a session: the plan demands a second factor, and the account has none. */
  readonly lacksFactor?: boolean
  /** The operator has suspended the account. */
  readonly isSuspended?: boolean
  /** The DDNS key, or the account as a login of updates: by the operator or for abuse. */
  readonly isBlocked?: boolean
  /** The account may only be changed at the website. */
  readonly isWebsiteOnly?: boolean
  /** The plan has not what the request asks for. */
  readonly lacksFeature?: boolean
}

/** `unknown`: it is no credential here, and is answered like a wrong one. */
export type DoorAnswer =
  | 'open'
  | 'unknown'
  | 'passwordAlone'
  | 'factorFirst'
  | 'factorToSet'
  | 'suspended'
  | 'blocked'
  | 'websiteOnly'
  | 'lacksFeature'

/** The credentials of each door. */
const ACCEPTED: Readonly<Record<Door, readonly Credential[]>> = {
  update: ['password', 'ddnsKey'],
  api: ['password', 'apiKey'],
  dns: ['tsigKey'],
  website: ['session', 'keySession'],
}

interface StateRow {
  readonly state: keyof DoorState
  /** The credentials that the state concerns; all without it. */
  readonly of?: readonly Credential[]
  readonly answers: Readonly<Partial<Record<Door, DoorAnswer>>>
}

const EVERYWHERE = (answer: DoorAnswer) =>
  Object.fromEntries(DOORS.map((door) => [door, answer])) as Readonly<Record<Door, DoorAnswer>>
const PROGRAMS = (answer: DoorAnswer) => ({ update: answer, api: answer, dns: answer }) as const

/** The states in the order in which each door checks them: those of the credential before those of its account. */
// biome-ignore format: a table
export const DOOR_STATES: readonly StateRow[] = [
  { state: 'isExpired',     of: ['apiKey', 'tsigKey', 'keySession'], answers: EVERYWHERE('unknown') },
  { state: 'needsFactor',   of: ['password'],                        answers: { update: 'unknown', api: 'passwordAlone' } },
  { state: 'isHalf',        of: ['session'],                         answers: { website: 'factorFirst' } },
  { state: 'isSuspended',                                            answers: EVERYWHERE('suspended') },
  { state: 'isBlocked',     of: ['password', 'ddnsKey'],             answers: { update: 'blocked' } },
  { state: 'lacksFactor',   of: ['session'],                         answers: { website: 'factorToSet' } },
  { state: 'isWebsiteOnly',                                          answers: PROGRAMS('websiteOnly') },
  { state: 'isWebsiteOnly', of: ['keySession'],                      answers: { website: 'websiteOnly' } },
  { state: 'lacksFeature',                                           answers: EVERYWHERE('lacksFeature') },
]

/** What a door answers to a credential in a state. */
export function doorAnswer(door: Door, credential: Credential, state: DoorState): DoorAnswer {
  if (!ACCEPTED[door].includes(credential)) return 'unknown'
  for (const row of DOOR_STATES) {
    const answer = row.answers[door]
    if (state[row.state] === true && answer !== undefined && (row.of?.includes(credential) ?? true))
      return answer
  }
  return 'open'
}

/** What each answer is at each door, for people. */
// biome-ignore format: a table
export const DOOR_WORDS: Readonly<Record<DoorAnswer, Readonly<Record<Door, string>>>> = {
  open:          { update: 'yes',           api: 'yes',                                    dns: 'yes',                website: 'yes' },
  unknown:       { update: '`badauth`',     api: '401',                                    dns: 'NOTAUTH (BADKEY)',   website: 'the sign-in' },
  passwordAlone: { update: '`badauth`',     api: '403, the account has a second factor',   dns: '–',                  website: '–' },
  factorFirst:   { update: '–',             api: '–',                                      dns: '–',                  website: 'the code first' },
  factorToSet:   { update: '–',             api: '–',                                      dns: '–',                  website: 'the page *Account* alone' },
  suspended:     { update: '`abuse`',       api: '403, this account is suspended',         dns: 'REFUSED',            website: '403' },
  blocked:       { update: '`abuse`',       api: 'yes',                                    dns: 'yes',                website: 'yes' },
  websiteOnly:   { update: '`!donator`',    api: '403, code 4786',                         dns: 'REFUSED',            website: '403, code 4786' },
  lacksFeature:  { update: '`!donator`',    api: '403, the code of the feature',           dns: 'REFUSED',            website: 'the refusal of `/v1`' },
}
