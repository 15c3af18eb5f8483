"""Everybody is the administrator: signing in is not what the benchmark measures."""

from django.contrib.auth import get_user_model


def signed_in(respond):
    """Return a middleware that signs every request in."""

    def answer(request):
        request.user = get_user_model().objects.get(username="ada")
        return respond(request)

    return answer
