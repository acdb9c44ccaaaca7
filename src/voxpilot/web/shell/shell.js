// Spends the one-time code of the sign-in link, and takes it out of the address at once.
const state = document.getElementById("state");

async function start() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code) {
    history.replaceState(null, "", "/");
    const reply = await fetch("/api/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code, device: navigator.platform || "A browser" }),
    });
    if (!reply.ok) {
      const { error } = await reply.json();
      state.textContent = `${error.message} ${error.hint}`;
      return;
    }
  }
  const me = await fetch("/api/me");
  state.textContent = me.ok
    ? `Signed in as ${(await me.json()).device}.`
    : "Not signed in. Run `voxpilot link` on the machine for a sign-in link.";
}

start();
