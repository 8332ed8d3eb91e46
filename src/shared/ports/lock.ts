/** Identifies a process over time: a pid alone is reused. */
export interface ProcessIdentity {
  readonly pid: number
  /** In clock ticks since the boot (proc(5), stat, field 22); undefined where /proc hides it. */
  readonly startedAt?: string
  /** The boot id; undefined where the system has none. */
  readonly boot?: string
}

/** The process that holds a lock. Empty where the lock file exists and cannot be read. */
export interface LockOwner extends Partial<ProcessIdentity> {
  /** Its control socket, if it has one. */
  readonly socket?: string
}

export type LockOutcome =
  | {
      readonly kind: 'acquired'
      readonly path: string
      /** Creates the lock file again where it was deleted, unless another process has created one since. */
      readonly renew: () => Promise<RenewOutcome>
      readonly release: () => Promise<void>
    }
  | { readonly kind: 'held'; readonly owner: LockOwner }
  /** The folder cannot be written, and no running process holds its lock. */
  | { readonly kind: 'unavailable' }

/** `reacquired`: the lock file was missing for a while, and another process may have worked in the folder. */
export type RenewOutcome =
  | { readonly kind: 'kept' }
  | { readonly kind: 'reacquired' }
  | { readonly kind: 'held'; readonly owner: LockOwner }

/** Acquires the lock file of a folder, unless a running process holds it. Other processes find `socket` in it. */
export type AcquireLock = (folder: string, socket: string | undefined, file?: string) => Promise<LockOutcome>
