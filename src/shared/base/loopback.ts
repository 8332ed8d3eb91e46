/** A loopback name or address with an optional port, and nothing behind it: "127.evil.example" must not match. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/** Whether a Host header (RFC 9110 §7.2) names this host itself. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK_HOST.test(host)
