import type { ErrorCode } from '@app/contract'

/** The remedy for each error, in the order of the page: the sentence itself says what happened. */
export const errorHelp: { title: string; about: string; errors: Partial<Record<ErrorCode, string>> }[] = [
  {
    title: 'Signing in and permissions',
    about: 'You are not signed in, or your role does not allow the action.',
    errors: {
      unauthorized:
        'With 401: sign in again; a session lasts 7 days at most, and a token may have expired or been revoked. With 403: your role in the team, or the scopes of your token, do not allow this. Ask an owner of the team.',
      password_required: 'Enter your password.',
      sso_required:
        'Sign in with your e-mail address: you are sent to the sign-in page of your company. Administrators can sign in with their user name and password.',
      mfa_required: 'Enter the code of your authenticator app, use a passkey or a recovery code.',
      invalid_code:
        'Wait for the next code and enter it. If codes never work, the clock of your phone or of the server is wrong. Otherwise use a recovery code, or ask an administrator to reset your second factor.',
      proof_required:
        'Enter your password, a code or use a passkey, then try again. In a script: do this in a browser.',
      user_suspended: 'Ask an administrator. On the server, `npm run admin -- lift-suspension <user>` helps.',
      access_denied: 'The editor refused the sign-in. Open it again from the console; your role may have changed.',
      cross_origin:
        'Open the console under the address in FORGE_BASE_URL. Behind a reverse proxy, keep the Host header as it was.',
      upgrade_required:
        'Open the address with a WebSocket client. A reverse proxy must pass `Upgrade` and `Connection` on.',
      too_many_requests:
        'Wait for 15 minutes, or use a reset link. If everybody meets this behind a reverse proxy, the proxy is not trusted: see PROXY01 on the Health page.',
      invalid_setup_token: 'Use the link that the server printed at its latest start. Each start prints a new one.',
    },
  },
  {
    title: 'Accounts',
    about: 'Signing up, and changing an account.',
    errors: {
      invalid_username:
        'Choose another name. Allowed are a-z, 0-9, - and _; names such as admin and root are reserved.',
      invalid_email: 'An account has this address already. Sign in with it, or reset its password.',
      invalid_sso_email: 'Use the address without the part from + to @, which is the one your company knows.',
      user_registration_unavailable: 'Ask an administrator or a team owner for an invitation.',
      tcs_missing: 'Accept the terms and conditions.',
      password_reset_unavailable: 'Ask an administrator for a link, or set up mail.',
      password_reset_failed: 'Request a new link: each works once, for 24 hours.',
      password_change_failed:
        'Check the old password. The new one needs at least 8 characters and must not be one that everybody knows.',
    },
  },
  {
    title: 'Teams and invitations',
    about: 'Members, roles and invitations.',
    errors: {
      invalid_team: 'Choose a team that you belong to.',
      invalid_team_type: 'Choose another team type, or ask an administrator to create one.',
      invalid_team_role: 'Choose owner, member, viewer or dashboard.',
      invitation_failed: 'Remove a member or an open invitation, or ask an administrator for another team type.',
      too_many_invites: 'Invite at most 5 people at a time.',
      invalid_slug: 'Choose another address for the team.',
    },
  },
  {
    title: 'Applications and instances',
    about: 'Creating, changing and reaching instances.',
    errors: {
      invalid_application_name: 'Enter a name.',
      invalid_application: 'Delete or move its instances first.',
      invalid_project_name:
        'Choose another name: it is in use or reserved, or has characters that an address cannot have.',
      instance_limit_reached: 'Delete an instance, or ask an administrator for another team type.',
      ports_exhausted:
        'Delete an instance for good, or ask an administrator for a larger range in FORGE_INSTANCE_PORTS.',
      invalid_hostname: 'Choose another host name.',
      invalid_project_type: 'Choose another instance type. Administrators can activate this one.',
      invalid_stack: 'Choose another stack of the instance type. A new stack can be chosen after its test.',
      invalid_template: 'Choose another template. Administrators can activate this one.',
      invalid_source_project: 'Copy an instance of the same team and application.',
      invalid_instance: 'Choose an instance of this application and team.',
      invalid_state: 'Wait until the operation is over. The page of the instance, or Jobs, shows its steps.',
      project_suspended: 'Start the instance first.',
      connection_refused: 'Start the instance, or read its log to see why it does not answer.',
      instances_unavailable:
        'Start the server that runs the instances. HOST01 on the Health page says more. Nothing was changed.',
      invalid_ha: 'Choose one process or two, and check that the feature is on.',
      invalid_ha_configuration: 'Set `replicas` to 2.',
      agent_outdated: 'Update the agent on the device, or use the agent of FlowForge.',
      invalid_mode: 'Set `mode` to developer or autonomous.',
      enable_editor_failed:
        'Its agent is connected, and did not open the tunnel. See that the flows of the device run and read its log, then try again.',
      device_unreachable:
        'The device is offline, or its agent calls over HTTP only. Check that it runs; Regenerate Credentials gives it the broker.',
      device_unknown:
        'The platform was restored from an older backup, or set up anew. Give the device new credentials, or add it again. Its agent goes on with the flows that it has.',
      device_limit_reached: 'Delete a device, or ask an administrator for another team type.',
      devices_unavailable:
        'An operator switched devices off with FORGE_FEATURES_OFF, or the team type leaves them out. Devices keep running what they have.',
    },
  },
  {
    title: 'Flows, snapshots and pipelines',
    about: 'Deploying, importing and pushing flows.',
    errors: {
      flows_replaced:
        'Compare your version in the History with the current flows. Then reload the editor and deploy again, or restore yours.',
      flows_not_started:
        'Choose a snapshot that has enabled nodes, or send `allowStopped` with `nodes` if nothing should run.',
      outdated: 'Load the newer state and make your change again.',
      invalid_credentials_secret:
        'Enter the `credentialSecret` from the settings.js of the Node-RED that the file is from.',
      invalid_snapshot: 'Choose a snapshot of this instance. It may have been deleted.',
      invalid_name: 'Choose another name: it is empty or in use.',
      invalid_input: 'Edit the stage of the pipeline, and choose an instance that exists.',
    },
  },
  {
    title: 'Billing',
    about: 'The team needs a subscription, or its payment provider does not answer.',
    errors: {
      billing_required: 'Open Billing in the menu of the team, or ask an owner of it, and set up the payment details.',
      billing_unavailable: 'Try again later. What runs goes on. An administrator sees the reason on the Health page.',
    },
  },
  {
    title: 'The platform',
    about: 'The server itself, its disk, database and licence.',
    errors: {
      not_found: 'Check the address. It may have been deleted, or belong to a team that you are not in.',
      invalid_request: 'Correct the field that the sentence names.',
      too_large: 'Send less at once.',
      unexpected_error:
        'Try again. If it stays, an administrator finds the reason in the log of the server, at the time of the error.',
      disk_full:
        'Delete backups, deleted instances or stacks. All works again a few seconds later. See DISK03 on the Health page.',
      database_unavailable: 'Wait a few seconds. If it stays, see DB01 on the Health page.',
      invalid_license: 'Check that the text is whole, and that the server has the public key: FORGE_LICENSE_KEYS.',
      invalid_license_action: 'Send `inspect` or `apply`.',
    },
  },
]
