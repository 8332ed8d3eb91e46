/** What the operator does before an operation that needs the store for itself. */
export const STOP_ADVICE =
  'stop the service and its socket first (systemctl stop holdfast-service.socket holdfast-service.service)'
