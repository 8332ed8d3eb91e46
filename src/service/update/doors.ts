import type { BareWord } from '../../shared/protocol/reply.ts'
import type { Login } from '../model/rows.ts'
import { doorAnswer, type DoorAnswer, type DoorState } from '../rules/doors.ts'

/** What `/nic/update` says where the door is not open. */
export const DOOR_REPLIES = {
  suspended: 'abuse',
  blocked: 'abuse',
  websiteOnly: '!donator',
  lacksFeature: '!donator',
} as const satisfies Partial<Record<DoorAnswer, BareWord>>

/** What `/nic/update` answers to a login. */
export const updateDoor = (
  { kind, isSuspended, needsFactor }: Login,
  state: Pick<DoorState, 'isBlocked' | 'lacksFeature' | 'isWebsiteOnly'> = {},
) =>
  doorAnswer('update', kind === 'key' ? 'ddnsKey' : 'password', {
    isSuspended,
    ...(needsFactor && { needsFactor }),
    ...state,
  }) as 'open' | 'unknown' | keyof typeof DOOR_REPLIES
