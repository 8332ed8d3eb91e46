export interface ControlServer {
  /** Whether the path still leads to this socket: the folder may have been deleted. */
  ownsPath(): boolean
  close(): Promise<void>
}

/** Answers one request. A rejection is sent as `{ error: message }`. */
export type ControlHandler = (request: unknown) => Promise<unknown>

/**
 * Answers requests on a Unix socket with mode 0600, and replaces any other socket at this path: the caller must hold the
 * lock. Rejects where the socket cannot be made.
 */
export type ServeControl = (path: string, handle: ControlHandler) => Promise<ControlServer>

/** `unreachable`: no process listens there, or it closed the connection. `timeout`: it listens, and did not answer. */
export type ControlOutcome =
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'timeout' }

/** Sends one request to the process behind the socket. `timeout` is in milliseconds. Never rejects. */
export type AskControl = (path: string, request: unknown, timeout: number) => Promise<ControlOutcome>
