/** One record at a fake service. The name is fully qualified, lower case, ASCII, without the final dot. */
export interface FakeRecord {
  name: string
  type: string
  value: string
  ttl: number
  /** Fields that only this service has, such as `proxied`, `comment`, `tags`, `notes`, `line`: an update must keep them. */
  extra: Record<string, unknown>
}
export interface FakeWorld {
  /** Zones of the account, as names: "example.com". */
  zones: string[]
  records: FakeRecord[]
  /** What is right. Anything else is refused as the service refuses it. */
  username: string
  password: string
  apiKey: string
  /** The credentials are right, but may not write (where the service can tell that). */
  isReadOnly: boolean
}
export interface FakeRequest {
  readonly method: string
  /** As sent, with the query, not decoded: "/client/v4/zones?name=example.com" */
  readonly target: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
export interface FakeResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}
export interface FakeService {
  /** As in services.json. */
  readonly id: string
  /** The scheme and host that the documents name: "https://api.cloudflare.com". */
  readonly origin: string
  /** A new service with this world; it changes `world.records` as the service would. */
  readonly make: (world: FakeWorld) => (request: FakeRequest) => FakeResponse
}

/** A member of a document as text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
