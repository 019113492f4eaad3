import * as z from 'zod/mini'

/**
 * Every code the platform answers with: the HTTP statuses it may carry (the first is the default)
 * and its default sentence. Clients match codes, never texts, except where the specification says otherwise.
 */
export const errors = {
  unauthorized: { status: [401, 403], message: 'unauthorized' },
  password_required: { status: [401], message: 'Password required' },
  sso_required: { status: [401], message: 'Sign in through your company' },
  mfa_required: { status: [401], message: 'A second factor is required' },
  invalid_code: { status: [400], message: 'The code is wrong, was used before or has expired' },
  proof_required: { status: [403], message: 'Confirm your identity' },
  user_suspended: { status: [403], message: 'User suspended' },
  not_found: { status: [404], message: 'Not found' },
  invalid_request: { status: [400, 403, 415], message: 'The request is not valid' },
  too_large: { status: [413], message: 'The request is too large' },
  unexpected_error: { status: [500, 400], message: 'Something went wrong on the server' },
  disk_full: {
    status: [507],
    message: 'The disk of the platform is full, so nothing was saved. Delete something, or ask an administrator',
  },
  database_unavailable: {
    status: [503],
    message: 'The database of the platform does not answer. Try again in a few seconds',
  },
  too_many_requests: { status: [429], message: 'Too many attempts, try again later' },
  upgrade_required: { status: [426], message: 'Open this address as a WebSocket' },
  cross_origin: { status: [403], message: 'Writes are accepted only from the console itself' },
  invalid_setup_token: { status: [403], message: 'This set-up link is wrong or was used already' },
  invalid_username: { status: [400], message: 'This username is not available' },
  invalid_email: { status: [400], message: 'email must be unique' },
  invalid_sso_email: { status: [400], message: 'Addresses with a plus sign cannot be used with single sign-on' },
  user_registration_unavailable: { status: [400], message: 'Sign-up is switched off on this platform' },
  tcs_missing: { status: [400], message: 'The terms and conditions must be accepted' },
  password_reset_unavailable: { status: [400], message: 'The password cannot be reset on this platform' },
  password_reset_failed: { status: [400], message: 'This link to reset a password is wrong or has expired' },
  password_change_failed: { status: [400], message: 'Password change failed' },
  invalid_team: { status: [400], message: 'You are not a member of this team' },
  invalid_team_type: { status: [400], message: 'Choose an active team type' },
  invalid_team_role: { status: [400], message: 'Choose a role of a team' },
  invitation_failed: { status: [400], message: 'The team is full' },
  too_many_invites: { status: [429], message: 'At most 5 people can be invited at a time' },
  invalid_slug: { status: [409, 400], message: 'This slug is not available' },
  invalid_name: { status: [400, 409], message: 'This name cannot be used' },
  invalid_input: { status: [400], message: 'This pipeline does not allow that' },
  invalid_instance: { status: [400], message: 'Choose an instance of this application' },
  devices_unavailable: { status: [503], message: 'Devices are switched off on this platform' },
  device_unknown: { status: [503], message: 'This platform does not know the device, and did not delete it' },
  device_unreachable: { status: [503], message: 'The device cannot be reached' },
  enable_editor_failed: { status: [503], message: 'The editor of the device could not be opened' },
  invalid_mode: { status: [400], message: 'Unknown mode. A device is autonomous, or in developer mode' },
  agent_outdated: { status: [409], message: 'The agent of the device is too old for this' },
  invalid_application_name: { status: [409], message: 'An application needs a name' },
  invalid_application: { status: [422], message: 'An application with instances cannot be deleted' },
  invalid_project_name: { status: [409], message: 'This name is not available' },
  instance_limit_reached: { status: [400], message: 'The team has as many instances as its type allows' },
  device_limit_reached: { status: [400], message: 'The team has as many devices as its type allows' },
  ports_exhausted: { status: [409], message: 'Every port for instances is in use' },
  invalid_hostname: { status: [409], message: 'This host name is not available' },
  invalid_project_type: { status: [400], message: 'Choose an active instance type' },
  invalid_stack: { status: [400], message: 'Choose an active stack of this instance type' },
  invalid_source_project: { status: [400, 403], message: 'There is no such instance to copy' },
  invalid_credentials_secret: { status: [403], message: 'The credentials cannot be decrypted with this secret' },
  invalid_template: { status: [400], message: 'Choose an active template' },
  invalid_ha: { status: [400], message: 'An instance runs as one process or as two' },
  invalid_ha_configuration: { status: [409], message: 'High availability means two processes' },
  invalid_snapshot: { status: [400], message: 'This instance has no such snapshot' },
  flows_not_started: { status: [409], message: 'These flows would not run' },
  outdated: { status: [409], message: 'Somebody else changed this in the meantime; nothing was saved' },
  invalid_state: { status: [409], message: 'Another operation is under way' },
  flows_replaced: {
    status: [409],
    message:
      'The flows of this instance were replaced since the editor loaded them. What you deployed is kept in the History of the instance.',
  },
  project_suspended: { status: [400], message: 'The instance is suspended' },
  instances_unavailable: { status: [503], message: 'The server that runs the instances cannot be reached' },
  connection_refused: { status: [503], message: 'The Node-RED instance cannot be reached' },
  billing_required: { status: [402], message: 'The team needs a subscription for this' },
  billing_unavailable: { status: [503], message: 'The payment provider does not answer. Try again later' },
  invalid_license: { status: [400], message: 'This is not a license for this platform' },
  invalid_license_action: { status: [400], message: 'A license can be inspected or applied' },
  access_denied: { status: [400], message: 'Access denied' },
} as const satisfies Record<string, { status: readonly [number, ...number[]]; message: string }>

export type ErrorCode = keyof typeof errors

/** Every refusal on the wire; `fields` names the inputs at fault. */
export const ErrorReply = z.object({
  code: z.string(),
  error: z.string(),
  message: z.string(),
  statusCode: z.number(),
  fields: z.optional(z.record(z.string(), z.string())),
  /** Where to sign in instead (sso_required). */
  redirect: z.optional(z.string()),
})
export type ErrorReply = z.infer<typeof ErrorReply>
