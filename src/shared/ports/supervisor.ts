/** Reports to the supervisor (sd_notify(3)). Without a supervisor, nothing happens. */
export interface Supervisor {
  ready(): void
  /** The state of the loop, reported after each action. Counts as a heartbeat. */
  status(text: string): void
  reloaded(): void
  stopping(): void
  /** A heartbeat: the loop is alive. */
  beat(): void
}
