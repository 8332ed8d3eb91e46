import type { Delegation } from './delegation.ts'

/** The name of the TXT record that proves ownership: only the owner of the domain can create it (decision 0066). */
export const challengeName = (zone: string): string => `_holdfast-challenge.${zone}`

/** Whether the parent delegates to a name server of the service, or the TXT has this value. */
export const isProof = ({ servers, challenges = [] }: Delegation, value: string): boolean =>
  challenges.includes(value) || servers.some(({ isOwn, isAtParent }) => isOwn && isAtParent === true)
