"""Where people keep secrets that an agent must not see.

Lives here: the list. Lives elsewhere: hiding it (view.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress

IN_HOME = (
    # keys, passwords and tokens
    ".ssh", ".gnupg", ".pki", ".password-store", ".local/share/password-store", ".netrc", ".authinfo",
    ".authinfo.gpg", ".git-credentials", ".config/git/credentials", ".cache/git/credential",
    ".git-credential-cache", ".config/gh", ".config/hub", ".config/glab-cli", ".config/github-copilot",
    ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".config/pypoetry/auth.toml", ".cargo/credentials",
    ".cargo/credentials.toml", ".gem/credentials", ".config/composer/auth.json", ".composer/auth.json",
    ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".nuget/NuGet",
    ".vault-token", ".config/op", ".op", ".config/sops", ".config/age", ".age", ".config/Bitwarden",
    ".config/Bitwarden CLI", ".local/share/keyrings", ".gnome2/keyrings", ".local/share/kwalletd",
    ".config/kwalletrc", ".kde/share/apps/kwallet", ".keepass", ".config/keepassxc", ".pgpass", ".my.cnf",
    ".mylogin.cnf", ".cassandra", ".huggingface", ".cache/huggingface/token", ".config/rclone",
    ".rclone.conf", ".smbcredentials", ".msmtprc", ".mutt", ".config/mutt", ".fetchmailrc",
    # clouds and containers
    ".aws", ".azure", ".config/gcloud", ".boto", ".s3cfg", ".config/doctl", ".oci", ".aliyun", ".kube",
    ".docker", ".config/containers", ".local/share/containers", ".config/helm", ".terraform.d",
    ".terraformrc", ".fly", ".config/heroku", ".config/configstore", ".config/netlify", ".config/vercel",
    ".local/share/com.vercel.cli", ".config/.wrangler", ".wrangler", ".colima", ".lima", ".rd", ".orbstack",
    ".minikube", ".ngrok2", ".config/ngrok", ".config/cloudflared", ".cloudflared", ".config/tailscale",
    # browsers, mail and messages
    ".mozilla", ".librewolf", ".waterfox", ".config/google-chrome", ".config/google-chrome-beta",
    ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".config/vivaldi",
    ".config/opera", ".cache/mozilla", ".cache/google-chrome", ".cache/chromium", ".cache/BraveSoftware",
    ".cache/microsoft-edge", ".thunderbird", ".config/evolution", ".local/share/evolution",
    ".config/Signal", ".config/Slack", ".config/discord", ".local/share/TelegramDesktop", ".config/Element",
    ".purple", ".zoom", "snap", ".var/app", ".snap",
    # what was typed, and what editors keep
    ".bash_history", ".zsh_history", ".zhistory", ".history", ".sh_history", ".ksh_history",
    ".fish_history", ".local/share/fish", ".zsh_sessions", ".bash_sessions", ".python_history",
    ".node_repl_history", ".psql_history", ".mysql_history", ".sqlite_history", ".rediscli_history",
    ".lesshst", ".viminfo", ".local/share/nvim/shada", ".local/state/nvim/shada", ".local/share/atuin",
    ".local/share/recently-used.xbel", ".config/Code/User/globalStorage",
    ".config/Cursor/User/globalStorage", ".vscode-server", ".cursor-server",
    # sessions of a desktop
    ".Xauthority", ".ICEauthority", ".dbus", ".cache/keyring",
)  # fmt: skip
"""Files and folders below the home folder."""

OF_THE_SYSTEM = (
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d",
    "/etc/ssh", "/etc/ssl/private", "/etc/pki/tls/private", "/etc/letsencrypt", "/etc/wireguard",
    "/etc/openvpn", "/etc/krb5.keytab", "/etc/NetworkManager/system-connections", "/etc/wpa_supplicant",
    "/etc/docker", "/etc/kubernetes", "/etc/rancher", "/var/lib/docker", "/var/lib/containerd",
    "/var/lib/lxd", "/var/lib/incus", "/var/snap", "/var/lib/kubelet", "/var/spool/mail", "/var/mail",
    "/var/backups", "/var/lib/postgresql", "/var/lib/mysql", "/var/spool/cron", "/var/lib/NetworkManager",
)  # fmt: skip
"""Useful only to root; hidden if agents run as root."""


NAMED_BY = (
    "SSH_AUTH_SOCK", "GNUPGHOME", "PASSWORD_STORE_DIR", "NETRC", "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE", "AZURE_CONFIG_DIR", "CLOUDSDK_CONFIG", "GOOGLE_APPLICATION_CREDENTIALS", "KUBECONFIG",
    "DOCKER_CONFIG", "GH_CONFIG_DIR", "GLAB_CONFIG_DIR", "NPM_CONFIG_USERCONFIG", "PIP_CONFIG_FILE",
    "PGPASSFILE", "RCLONE_CONFIG", "XAUTHORITY", "ICEAUTHORITY", "HISTFILE",
)  # fmt: skip
"""Variables that move these files to another place."""

_MOVED_BY = {
    ".config": "XDG_CONFIG_HOME",
    ".local/share": "XDG_DATA_HOME",
    ".local/state": "XDG_STATE_HOME",
    ".cache": "XDG_CACHE_HOME",
}


def of_a_person(home: str) -> list[str]:
    """Secrets below a home folder, whether or not they exist, and other people's homes.

    A program may have its own home folder; then the person's is searched too.
    """
    homes = list(dict.fromkeys((home, os.path.realpath(os.path.expanduser("~")))))
    found = [os.path.join(each, name) for each in homes for name in IN_HOME]
    with suppress(OSError):
        others = [(entry.path, os.path.realpath(entry.path)) for entry in os.scandir("/home")]
        found += [path for path, real in others if not any(is_within(each, real) for each in homes)]
    return found


def kept_elsewhere(environ: Mapping[str, str], given: Mapping[str, str], home: str) -> Iterator[str]:
    """Secrets in places named by our own variables, except variables that the program is `given` too."""
    for folder, variable in _MOVED_BY.items():
        moved = environ.get(variable, "")
        if moved.startswith("/"):
            yield from (
                os.path.join(moved, name.removeprefix(f"{folder}/"))
                for name in IN_HOME
                if name.startswith(f"{folder}/")
            )
    for variable in NAMED_BY:
        for path in map(
            os.path.normpath, environ.get(variable, "").split(":") if variable not in given else ()
        ):
            is_device = any(is_within(path, place) for place in ("/dev", "/proc", "/sys"))
            if path.startswith("/") and not is_device and not is_within(home, path):
                yield path


def sockets() -> list[str]:
    """Where programs listen now: agents that hold keys, databases, container services, wherever they are."""
    try:
        with open("/proc/net/unix", encoding="utf-8", errors="surrogateescape") as file:
            named = [line.rstrip("\n").partition(" /")[2] for line in file]
    except OSError:
        return []
    return [f"/{name}" for name in dict.fromkeys(named) if name]


def of_the_system(home: str) -> list[str]:
    found = OF_THE_SYSTEM if is_within(home, "/root") else (*OF_THE_SYSTEM, "/root")
    return [path for path in found if os.access(path, os.R_OK)]


def is_within(path: str, folder: str) -> bool:
    """Whether a path is the folder or leads into it; both normal and absolute."""
    return path == folder or folder == "/" or path.startswith(folder + "/")
